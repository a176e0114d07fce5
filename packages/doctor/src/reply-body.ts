/** A reply's body, classified by its JSON shape. */
export type ReplyBody =
  | { readonly shape: 'empty' | 'no JSON' | 'a single JSON value' }
  | { readonly shape: 'a JSON array'; readonly items: readonly unknown[] }
  | { readonly shape: 'a JSON object'; readonly keys: readonly string[] };

export function readBody(body: string): ReplyBody {
  if (body.trim() === '') return { shape: 'empty' };
  try {
    const value: unknown = JSON.parse(body);
    if (Array.isArray(value)) return { shape: 'a JSON array', items: value };
    if (typeof value !== 'object' || value === null) return { shape: 'a single JSON value' };
    return { shape: 'a JSON object', keys: Object.keys(value) };
  } catch {
    return { shape: 'no JSON' };
  }
}
