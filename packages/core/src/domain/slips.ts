/**
 * The Damerau-Levenshtein distance: the number of letters to insert, delete, replace or swap with their neighbor.
 * Infinity if there are more than `max`, which bounds the time.
 */
export function slips(a: string, b: string, max = 2): number {
  if (Math.abs(a.length - b.length) > max) return Number.POSITIVE_INFINITY;
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  const [x, y] = [a.slice(same), b.slice(same)];
  if (x === '' || y === '') return x.length + y.length;
  if (max === 0) return Number.POSITIVE_INFINITY;
  const rests = [
    [x.slice(1), y],
    [x, y.slice(1)],
    [x.slice(1), y.slice(1)],
  ] as [string, string][];
  if (x[0] === y[1] && x[1] === y[0]) rests.push([x.slice(2), y.slice(2)]);
  return 1 + Math.min(...rests.map(([one, other]) => slips(one, other, max - 1)));
}
