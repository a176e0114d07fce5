import { MissingObjectError } from './store.ts';
import type { LogStore, StoredObject } from './store.ts';

export interface S3Options {
  readonly bucket: string;
  /** Before the name of each object, '' or with a slash at its end. */
  readonly prefix: string;
  /** Of a store other than Amazon's, which gets the bucket in the path. */
  readonly endpoint?: string | undefined;
  /** Absent: region and credentials come from the SDK's usual variables and files. */
  readonly access?: {
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
}

/** Larger objects go in parts of this size. The last part may be smaller. */
const PART_BYTES = 8 * 1024 * 1024;
const TIMEOUTS_MS = { connectionTimeout: 3000, requestTimeout: 20_000 };

/** A store in a bucket. Loads the SDK. */
export async function createS3Store({ bucket, prefix, endpoint, access }: S3Options): Promise<LogStore> {
  const sdk = await import('@aws-sdk/client-s3');
  const client = new sdk.S3Client({
    ...access,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    // Stores other than Amazon's do not know the newest checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: TIMEOUTS_MS,
  });
  const at = (name: string) => ({ Bucket: bucket, Key: prefix + name });

  async function putInParts(name: string, parts: AsyncGenerator<Buffer>, first: Buffer): Promise<void> {
    const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(at(name)));
    try {
      const done: { ETag: string | undefined; PartNumber: number }[] = [];
      const send = async (Body: Buffer): Promise<void> => {
        const PartNumber = done.length + 1;
        const { ETag } = await client.send(new sdk.UploadPartCommand({ ...at(name), UploadId, PartNumber, Body }));
        done.push({ ETag, PartNumber });
      };
      await send(first);
      for await (const part of parts) await send(part);
      const MultipartUpload = { Parts: done };
      await client.send(new sdk.CompleteMultipartUploadCommand({ ...at(name), UploadId, MultipartUpload }));
    } catch (error) {
      await client.send(new sdk.AbortMultipartUploadCommand({ ...at(name), UploadId })).catch(() => undefined);
      throw error;
    }
  }

  return {
    async put(name, chunks) {
      const parts = inParts(chunks);
      const first = await parts.next();
      const Body = first.done === true ? Buffer.alloc(0) : first.value;
      if (Body.length < PART_BYTES) await client.send(new sdk.PutObjectCommand({ ...at(name), Body }));
      else await putInParts(name, parts, Body);
    },
    async get(name, range) {
      const Range = range && `bytes=${range.start}-${range.end - 1}`;
      try {
        const { Body } = await client.send(new sdk.GetObjectCommand({ ...at(name), ...(Range && { Range }) }));
        const bytes = Buffer.from((await Body?.transformToByteArray()) ?? []);
        if (range !== undefined && bytes.length !== range.end - range.start)
          throw new RangeError(`${name} ends before byte ${range.end}`);
        return bytes;
      } catch (error) {
        throw error instanceof sdk.NoSuchKey ? new MissingObjectError(name) : error;
      }
    },
    async list(start) {
      const found: StoredObject[] = [];
      const input = { Bucket: bucket, Prefix: prefix + start };
      for await (const { Contents = [] } of sdk.paginateListObjectsV2({ client }, input))
        for (const { Key = '', Size = 0, LastModified } of Contents)
          found.push({ name: Key.slice(prefix.length), bytes: Size, storedAtMs: LastModified?.getTime() ?? 0 });
      return found;
    },
    async delete(name) {
      await client.send(new sdk.DeleteObjectCommand(at(name)));
    },
    async keepsDeleted() {
      const ask = { Bucket: bucket };
      const [versions, lock] = await Promise.allSettled([
        client.send(new sdk.GetBucketVersioningCommand(ask)),
        client.send(new sdk.GetObjectLockConfigurationCommand(ask)),
      ]);
      // A bucket whose versioning is suspended still has versions.
      if (versions.status === 'fulfilled' && versions.value.Status !== undefined) return true;
      // Without a lock, the second question is an error.
      if (lock.status === 'fulfilled' && lock.value.ObjectLockConfiguration?.ObjectLockEnabled !== undefined)
        return true;
      return versions.status === 'fulfilled' ? false : undefined;
    },
    close() {
      client.destroy();
      return Promise.resolve();
    },
  };
}

/** The bytes in parts of one size. */
async function* inParts(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    bytes += chunk.length;
    if (bytes < PART_BYTES) continue;
    const all = Buffer.concat(waiting);
    let from = 0;
    for (; all.length - from >= PART_BYTES; from += PART_BYTES) yield all.subarray(from, from + PART_BYTES);
    waiting = [all.subarray(from)];
    bytes = all.length - from;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}
