/** A time such as `12:03:20 UTC`, with the date unless it is today. */
export function timeText(iso: string): string {
  const time = `${iso.slice(11, 19)} UTC`;
  return iso.slice(0, 10) === new Date().toISOString().slice(0, 10) ? time : `${iso.slice(0, 10)} ${time}`;
}
