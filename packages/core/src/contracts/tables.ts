type NameOf<Table> = keyof Table & string;

/** The names of a table of declarations, in its order. */
export const namesOf = <Table extends object>(table: Table) =>
  Object.keys(table) as [NameOf<Table>, ...NameOf<Table>[]];

/** Makes a value for each name of a table. */
export const forEachName = <Table extends object, Value>(table: Table, make: (name: NameOf<Table>) => Value) =>
  Object.fromEntries(namesOf(table).map((name) => [name, make(name)])) as Record<NameOf<Table>, Value>;
