export interface Page<Item> {
  readonly items: Item[];
  readonly nextCursor?: string;
}

export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
}
