/** 64 bits that stand for an event in the event log's outcomes, as two numbers of 32 bits. */
export interface EventKey {
  readonly high: number;
  readonly low: number;
}

/** Products with numbers of 32 bits are exact in Lua, which makes the same keys (`lua/includes/log.lua`). */
export const EVENT_KEY_HIGH = 1_000_003;
export const EVENT_KEY_LOW = 1_540_477;
const ASCII_MAX = 127;

/** The key of the text that names an event (`eventKeyText`): quick rather than safe, because each batch makes many. */
export function eventKey(text: string): EventKey {
  let high = 1;
  let low = 1;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit > ASCII_MAX) return eventKeyOfBytes(new TextEncoder().encode(text));
    high = Math.imul(high, EVENT_KEY_HIGH) + unit;
    low = Math.imul(low, EVENT_KEY_LOW) + unit;
  }
  return { high: high >>> 0, low: low >>> 0 };
}

/** The key of a text in UTF-8 from one place to before another. */
export function eventKeyOfBytes(bytes: Uint8Array, from = 0, to = bytes.length): EventKey {
  let high = 1;
  let low = 1;
  for (let i = from; i < to; i += 1) {
    const byte = bytes[i] as number;
    high = Math.imul(high, EVENT_KEY_HIGH) + byte;
    low = Math.imul(low, EVENT_KEY_LOW) + byte;
  }
  return { high: high >>> 0, low: low >>> 0 };
}
