/** The sender of e-mails. Without a name, `name` is empty. */
interface Sender {
  readonly name: string;
  readonly address: string;
}

/** As RFC 5322 writes it: an address, alone or in angle brackets, which a name may precede, with or without quotes. */
export const MAIL_SENDER =
  /^(?:(?:"((?:[^\p{C}"\\]|\\[^\p{C}])*)"|([^\p{C}<>@"]+?))? *<([^\s<>@"]+@[^\s<>@"]+)>|([^\s<>@"]+@[^\s<>@"]+))$/u;

/** Undefined for a text that names no sender. */
export function senderIn(text: string): Sender | undefined {
  const found = MAIL_SENDER.exec(text);
  if (found === null) return undefined;
  const [, quoted, plain = '', bracketed, alone = ''] = found;
  return { name: quoted?.replaceAll(/\\(.)/gu, '$1') ?? plain.trim(), address: bracketed ?? alone };
}
