import { StoreConflictError } from '../domain/stored-account.ts';
import { StoreUnavailableError } from './store.ts';

describe("the store port's errors", () => {
  it.each([
    [new StoreUnavailableError('MongoDB does not answer'), 'StoreUnavailableError'],
    [new StoreConflictError('two secrets already'), 'StoreConflictError'],
  ])('have different names: %s', (error, name) => {
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe(name);
  });
});
