import { mongo } from 'mongoose';
import { StoreConflictError } from '@mailhook/core';

export const isDuplicate = (error: unknown): boolean => error instanceof mongo.MongoServerError && error.code === 11000;

/** Runs a write that a unique index may refuse. */
export async function unlessTaken(what: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw isDuplicate(error) ? new StoreConflictError(`${what} is in use`) : error;
  }
}
