import { inEnglish } from '../../html/elements.ts';
import type { Content } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';

const { faults } = texts;

/** By the API's words for the fault of a field. The first match counts. */
const BY_WORDS: readonly (readonly [RegExp, (value: string, other: string) => Content])[] = [
  [/^is required(?:$|:)/, () => faults.required],
  [/^is required for the test$/, () => faults.requiredForTest],
  [/^must be an absolute URL/, () => faults.notAbsolute],
  [/^must not contain spaces/, () => faults.spaces],
  [/^must not contain the invisible character (\S+): .* (\d+)$/, (name, position) => faults.unseen({ name, position })],
  [/^must not contain half a surrogate pair, (\S+): .* (\d+)$/, (name, position) => faults.half({ name, position })],
  [/^is not a valid URL$/, () => faults.notUrl],
  [/^must not contain a user name/, () => faults.login],
  [/^must not use port (\d+)$/, (port) => faults.port({ port })],
  [/^must be at most (\d+) characters/, (max) => faults.tooLong({ max })],
  [/^must not lead to /, () => faults.notPublic],
  [/^must begin with https:/, () => faults.notHttps],
  [/^must be an e-mail address/, () => faults.notEmail],
  [/^must be a number(?:$|,)/, () => faults.notNumber],
  [/^must be a whole number(?:$|,)/, () => faults.notWhole],
  [/^must be at least (\d+)/, (min) => faults.tooSmall({ min })],
  [/^must be at most (\d+)(?:,|$)/, (max) => faults.tooLarge({ max })],
  [/^is not a header name/, () => faults.headerName],
  [/^is set by Mailhook or by HTTP/, () => faults.headerReserved],
  [/^must have 1 to 4096 ASCII/, () => faults.headerValue],
  [/^has no value after the colon/, () => faults.headerWithoutValue],
  [/^has no stored value to keep/, () => faults.headerNotStored],
  [/^must have at most (\d+) headers/, (max) => faults.headersTooMany({ max })],
  [/^must have at most (\d+) characters in all/, (max) => faults.headersTooLong({ max })],
  [/^must not repeat authorization/, () => faults.headersLogin],
  [/needs version 2$/, () => faults.needsVersion2],
  [/^is no type of the module/, () => faults.notOfModule],
  [/^must be a list of types, or exactly/, () => faults.allAlone],
  [/^must be \w+ for version 1/, () => faults.usualShape],
  [/^must be at most (\d+) for the shape/, (max) => faults.tooLarge({ max })],
  [/^is for the module campaign only/, () => faults.campaignsOnly],
  [/^must (?:have at least 1 |not be empty$)/, () => faults.atLeastOne],
  [/^must have at most (\d+) characters/, (max) => faults.tooLong({ max })],
  [/^must have at most (\d+) (?:elements|keys)/, (max) => faults.tooMany({ max })],
  [/^must be a domain such as/, () => faults.domain],
  [/^must take at most (\d+) bytes/, (max) => faults.tooManyBytes({ max })],
  [/^has a line without a key/, () => faults.metadataLine],
  [/^(?:is not a key|must not be a key)/, () => faults.metadataKey],
  [/^must be a JSON object(?:$|,)/, () => faults.notObject],
  [/^must be one of /, () => faults.oneOf],
];

/** The fault of a field for the reader. What no form of the page causes is in the API's English. */
export function faultOf(message: string): Content {
  for (const [words, say] of BY_WORDS) {
    const found = words.exec(message);
    if (found !== null) return say(found[1] ?? '', found[2] ?? '');
  }
  return inEnglish(message);
}
