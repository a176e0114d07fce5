import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { DamagedLogError } from './bytes.ts';

/** How a block is compressed. Another dictionary is another codec, and readers keep the earlier ones. */
const CODEC = { deflate1: 1 } as const;
const HEAD_BYTES = 5;
/** More than the largest event or index. What is damaged must not fill the memory. */
const INFLATED_MAX = 128 * 1024 * 1024;

/** Fast enough to close segments while events come in. */
export const CLOSING_LEVEL = 1;
export const MERGING_LEVEL = 6;

/**
 * What deflate may refer to in the first event of a block, the most frequent texts last. It is part of the stored
 * format: never change it, but add a codec.
 */
const DICTIONARY = Buffer.from(
  [
    'discarded waiting msg_ not-spam virus fraud manual mailto reputation content timeout network suppressed policy',
    '"action":"added","cause":"complaint","list":"newsletter"}"action":"removed","feedbackType":"abuse"',
    '"label":"survey.answered","data":{"score":"method":"one-click","reason":"250 2.0.0 OK","code":"2.0.0","smtp":250}',
    '"reason":"451 4.7.1 try again later","code":"4.7.1","smtp":451,"cause":"policy","nextTry":17',
    '"type":"soft","reason":"452 4.2.2 mailbox full","code":"4.2.2","smtp":452,"cause":"full"}',
    '"type":"hard","reason":"550 5.1.1 no such user","code":"5.1.1","smtp":550,"cause":"invalid"}',
    '"metadata":{"order":"customer":"user_id":"template":"environment":"production","tags":["newsletter","receipt"]',
    '"userAgent":"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ' +
      'Version/17.5 Mobile/15E148 Safari/604.1"',
    '"userAgent":"Mozilla/5.0 (Linux; Android 14; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 ' +
      'Mobile Safari/537.36"',
    '"userAgent":"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)"',
    '"userAgent":"Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)"',
    '"userAgent":"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) ' +
      'Chrome/126.0.0.0 Safari/537.36"',
    '"userAgent":"Mozilla/5.0 (X11; Linux x86_64; rv:126.0) Gecko/20100101 Firefox/126.0" Safari/537.36 Edg/126.0.0.0"',
    '","machine":true,"first":false}","machine":false,"first":true}',
    '@mail.ru@gmx.de@web.de@wp.pl@icloud.com@orange.fr@hotmail.com@yahoo.com@outlook.com@example.com@gmail.com',
    '"url":"http://www."url":"https://www.example.com/unsubscribe/' +
      '?utm_source=newsletter&utm_medium=email&utm_campaign=',
    '"name":"bounce","messageId":"","time":17"name":"sent","messageId":"',
    'transactional_email "id":"","name":"delivered","messageId":"","time":17,"email":"',
    '"name":"click","messageId":"","time":17,"ip":"","userAgent":"","url":"https://","id":"","email":"',
    '"name":"open","messageId":"","time":17,"ip":"","id":"","email":"","userAgent":"Mozilla/5.0 (',
    '"event":"bounce","campaign":"","type":""event":"unsubscribe"',
    '"event":"click","campaign":"","email":"","timestamp":17,"url":"https://www.","id":"","ip":"',
    'campaign campaign-"id":"","event":"sent","campaign":"","email":"","timestamp":17',
    '"event":"open","campaign":"","email":"@gmail.com","timestamp":17,"id":"","ip":"","userAgent":"Mozilla/5.0 (msg_w',
  ].join('\n'),
);

/** A block or an index as it is stored: its codec, the CRC of what follows, and the compressed bytes. */
export function compress(bytes: Buffer, level: number): Buffer {
  const compressed = deflateRawSync(bytes, { level, dictionary: DICTIONARY });
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeUInt8(CODEC.deflate1, 0);
  head.writeUInt32LE(crc32(compressed), 1);
  return Buffer.concat([head, compressed]);
}

/** @throws DamagedLogError for bytes that `compress` did not write, or a codec of a later version. */
export function decompress(stored: Buffer): Buffer {
  if (stored.length < HEAD_BYTES) throw new DamagedLogError('it has no head');
  const codec = stored.readUInt8(0);
  if (codec !== CODEC.deflate1) throw new DamagedLogError(`it has the unknown codec ${codec}`);
  const compressed = stored.subarray(HEAD_BYTES);
  if (crc32(compressed) !== stored.readUInt32LE(1)) throw new DamagedLogError('it has a wrong checksum');
  try {
    return inflateRawSync(compressed, { dictionary: DICTIONARY, maxOutputLength: INFLATED_MAX });
  } catch (error) {
    throw new DamagedLogError('it cannot be decompressed', { cause: error });
  }
}
