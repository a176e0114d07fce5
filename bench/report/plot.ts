/** A line of a plot. Both axes are logarithmic. */
export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [760, 420, 64, 230, 48, 48];
const COLOURS = ['#1b6ca8', '#c8553d', '#588b4c', '#7d5ba6'];

/** A plot as SVG text, readable on light and dark pages. */
export function plot(title: string, yName: string, series: readonly Series[]): string {
  const all = series.flatMap(({ points }) => points);
  const xScale = scaleOf(
    all.map(([x]) => x),
    LEFT,
    WIDTH - RIGHT,
  );
  const yScale = scaleOf(
    all.map(([, y]) => y),
    HEIGHT - BOTTOM,
    TOP,
  );
  const grid = [
    ...xScale.ticks.map((x) =>
      tick(
        `x1="${xScale.at(x)}" x2="${xScale.at(x)}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"`,
        xScale.at(x),
        HEIGHT - BOTTOM + 18,
        'middle',
        label(x),
      ),
    ),
    ...yScale.ticks.map((y) =>
      tick(
        `x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${yScale.at(y)}" y2="${yScale.at(y)}"`,
        LEFT - 8,
        yScale.at(y) + 4,
        'end',
        label(y),
      ),
    ),
  ];
  const lines = series.map(({ name, points }, i) => {
    const colour = COLOURS[i % COLOURS.length] ?? 'black';
    const path = points.map(([x, y]) => `${xScale.at(x)},${yScale.at(y)}`).join(' ');
    const dots = points.map(
      ([x, y]) =>
        `<circle cx="${xScale.at(x)}" cy="${yScale.at(y)}" r="3.5" fill="${colour}"><title>${label(x)}: ` +
        `${label(y)}</title></circle>`,
    );
    const legend = `<text x="${WIDTH - RIGHT + 16}" y="${TOP + 12 + i * 22}" fill="${colour}">${name}</text>`;
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join('')}${legend}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}"
  font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="${LEFT}" y="24" font-size="15">${title}</text>
<text x="${LEFT}" y="40" fill="#666666">${yName}</text>
${[...grid, ...lines].join('\n')}
</svg>
`;
}

const tick = (line: string, x: number, y: number, anchor: string, text: string): string =>
  `<line ${line} stroke="#dddddd"/><text x="${x}" y="${y}" text-anchor="${anchor}" fill="#666666">${text}</text>`;

const label = (value: number): string => value.toLocaleString('en-GB', { maximumSignificantDigits: 3 });

/** A scale between whole powers of ten around the values. */
function scaleOf(values: readonly number[], from: number, to: number) {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  return {
    ticks: Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)),
    at: (value: number): number =>
      Math.round((from + ((Math.log10(value) - low) / (high - low)) * (to - from)) * 10) / 10,
  };
}
