import type { CodedText } from '../domain/coded-text.ts';

/** A value that its readers cannot change. */
export type Frozen<Value> = Value extends CodedText
  ? Value
  : Value extends readonly (infer Item)[]
    ? readonly Frozen<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: Frozen<Value[Key]> }
      : Value;
