/** A longer body is read from a file, because systems limit the length of a command's argument. */
export const CURL_BODY_CHARS_MAX = 16_000;

export interface CurlRequest {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A text as one word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The command that sends the request again. `--globoff`: brackets in an address stay as they are. */
export const curlCommand = ({ address, headers, body }: CurlRequest): string =>
  [
    `curl --globoff -X POST ${quoted(address)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    body.length > CURL_BODY_CHARS_MAX ? '--data-binary @body.json' : `--data-raw ${quoted(body)}`,
  ].join(' \\\n  ');
