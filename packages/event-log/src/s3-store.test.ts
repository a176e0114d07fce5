import { randomBytes } from 'node:crypto';
import { missingTool, startObjectStore, unlessImpossible } from '@mailhook/testing';
import type { TestObjectStore } from '@mailhook/testing';
import { createS3Store } from './index.ts';
import type { S3Options } from './index.ts';
import { describeStore } from './store.suite.ts';

unlessImpossible(describe, missingTool('pip'))('a store in a bucket', () => {
  let server: TestObjectStore;
  beforeAll(async () => {
    server = await startObjectStore();
  }, 180_000);
  afterAll(() => server.stop());

  const openIn = (bucket: string, prefix: string) => {
    const options: S3Options = { bucket, prefix, endpoint: server.endpoint, access: server.access };
    return createS3Store(options);
  };
  const createBucket = async (): Promise<string> => {
    const bucket = `log-${randomBytes(4).toString('hex')}`;
    const { CreateBucketCommand, S3Client } = await import('@aws-sdk/client-s3');
    const client = new S3Client({ endpoint: server.endpoint, forcePathStyle: true, ...server.access });
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    client.destroy();
    return bucket;
  };

  describe('without a prefix', () => {
    describeStore(async () => openIn(await createBucket(), ''));
  });

  it('keeps to its prefix', async () => {
    const bucket = await createBucket();
    const [one, other] = await Promise.all(['mail/one/', 'mail/other/'].map((prefix) => openIn(bucket, prefix)));
    await one!.put('a/b', [Buffer.from('x')]);
    expect(await one!.list('a/')).toMatchObject([{ name: 'a/b', bytes: 1 }]);
    expect(await other!.list('')).toEqual([]);
    await Promise.all([one!.close(), other!.close()]);
  });

  it.each([false, true])('says whether the bucket keeps what is deleted: %s', async (isVersioned) => {
    const bucket = await createBucket();
    if (isVersioned) {
      const { PutBucketVersioningCommand, S3Client } = await import('@aws-sdk/client-s3');
      const client = new S3Client({ endpoint: server.endpoint, forcePathStyle: true, ...server.access });
      const VersioningConfiguration = { Status: 'Enabled' } as const;
      await client.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration }));
      client.destroy();
    }
    const store = await openIn(bucket, '');
    expect(await store.keepsDeleted?.()).toBe(isVersioned);
    await store.close();
  });

  it('rejects if the bucket is missing', async () => {
    const store = await openIn('no-such-bucket', '');
    await expect(store.list('')).rejects.toThrow();
    await expect(store.put('a', [Buffer.from('x')])).rejects.toThrow();
    await store.close();
  });
});
