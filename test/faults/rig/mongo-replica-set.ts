import os from 'node:os';
import mongoose from 'mongoose';
import { eventually, startMongod } from '@mailhook/testing';

/** With three members, majority writes go on while one member is away. */
const MEMBERS = 3;
const NAME = 'faults';
const ELECTION_WITHIN_MS = 60_000;

/** A MongoDB replica set on 127.0.0.1. */
export interface MongoReplicaSet {
  /** For `MONGO_URL`. */
  readonly url: string;
  /**
   * Makes the primary step down at once, even during an operation. Resolves with the milliseconds until another member
   * is primary.
   */
  stepDown(): Promise<number>;
  stop(): Promise<void>;
}

export async function startMongoReplicaSet(database: string): Promise<MongoReplicaSet> {
  const settings = ['--replSet', NAME, '--oplogSize', '50'];
  const members = await Promise.all(Array.from({ length: MEMBERS }, () => startMongod(settings)));
  const options = {
    directConnection: true,
    serverSelectionTimeoutMS: 2000,
    // Passed explicitly, because the driver would import `os` dynamically, which the test runner does not allow.
    runtimeAdapters: { os },
  };
  const clients = members.map(({ url }) => new mongoose.mongo.MongoClient(url, options));
  const command = (member: number, what: object) => clients[member]!.db('admin').command(what);
  const stop = async (): Promise<void> => {
    await Promise.all(clients.map((client) => client.close()));
    await Promise.all(members.map((member) => member.stop()));
  };
  const primary = (except = -1): Promise<number> =>
    eventually(
      async () => {
        for (let member = 0; member < MEMBERS; member += 1) {
          const { isWritablePrimary } = await command(member, { hello: 1 });
          if (isWritablePrimary === true && member !== except) return { member };
        }
        return false;
      },
      { withinMs: ELECTION_WITHIN_MS, what: 'a primary' },
    ).then(({ member }) => member);
  const hosts = members.map(({ port }) => `127.0.0.1:${port}`);
  try {
    await command(0, {
      replSetInitiate: {
        _id: NAME,
        members: hosts.map((host, _id) => ({ _id, host })),
        settings: { electionTimeoutMillis: 2000, heartbeatIntervalMillis: 500 },
      },
    });
    await primary();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `mongodb://${hosts.join(',')}/${database}?replicaSet=${NAME}`,
    async stepDown() {
      const old = await primary();
      const startedAtMs = performance.now();
      await command(old, { replSetStepDown: 20, secondaryCatchUpPeriodSecs: 0, force: true });
      await primary(old);
      return Math.round(performance.now() - startedAtMs);
    },
    stop,
  };
}
