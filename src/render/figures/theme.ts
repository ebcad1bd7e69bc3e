import { FAMILIES } from './fonts.ts';

/**
 * The colours of figures. Each is a distinct hex value that stands for a role: in the HTML it becomes
 * `var(--fig-role, #hex)`, so that one drawing serves light, dark and print; a stand-alone SVG keeps the hex.
 */
export const ROLES = {
  ink: '#1d2129',
  muted: '#5b6470',
  grid: '#e3e6ea',
  axis: '#9aa3ae',
  paper: '#fdfdfc',
  accent: '#1f6f8b',
  bad: '#b3402f',
  warn: '#a4650c',
  good: '#2f7d4f',
} as const;

/**
 * Series colours, told apart by readers with any colour vision when taken with the shapes below: hues of differing
 * lightness (after Okabe and Ito, 2008, darkened until each has a contrast of 3:1 on paper).
 */
export const SERIES = [
  '#0f6ba8',
  '#c8581c',
  '#12805c',
  '#a43a7d',
  '#7a6a00',
  '#3f4a9e',
  '#8c3b1f',
  '#3d8ca3',
  '#7b5aa6',
  '#5f6b76',
] as const;

/** Shapes by series; with ten colours and eight shapes the pairs repeat only after forty series. */
export const SHAPES = [
  'circle',
  'square',
  'triangle-up',
  'diamond',
  'cross',
  'triangle-down',
  'triangle-right',
  'triangle-left',
] as const;

/** Dashes by series, for lines. */
export const DASHES: readonly (readonly number[])[] = [
  [1, 0],
  [6, 3],
  [2, 2],
  [8, 3, 2, 3],
  [4, 2],
  [10, 4],
  [1, 3],
  [6, 2, 2, 2, 2, 2],
];

const FONT = `${FAMILIES.sans.name}, sans-serif`;

/** The Vega-Lite configuration of every figure: type, rules and marks, so that specs carry only marks and encodings. */
export const CONFIG = {
  background: 'transparent',
  font: FONT,
  padding: { left: 2, right: 6, top: 4, bottom: 2 },
  aria: true,
  view: { stroke: null, continuousHeight: 250, discreteHeight: { step: 30 }, discreteWidth: { step: 40 } },
  axis: {
    labelColor: ROLES.muted,
    titleColor: ROLES.ink,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: 600,
    domainColor: ROLES.axis,
    tickColor: ROLES.axis,
    gridColor: ROLES.grid,
    tickSize: 4,
    labelPadding: 4,
    labelSeparation: 8,
    titlePadding: 8,
    labelLimit: 200,
    titleLimit: 400,
    grid: true,
  },
  axisX: { domain: true },
  axisY: { domain: false, ticks: false },
  axisBand: { grid: false, ticks: false, labelColor: ROLES.ink },
  axisPoint: { grid: false, labelColor: ROLES.ink },
  legend: {
    orient: 'top',
    direction: 'horizontal',
    labelColor: ROLES.ink,
    titleColor: ROLES.muted,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: 400,
    symbolSize: 70,
    symbolStrokeWidth: 1.5,
    labelLimit: 240,
    columnPadding: 14,
    rowPadding: 3,
    offset: 10,
    titleOrient: 'left',
    titlePadding: 10,
  },
  header: {
    labelColor: ROLES.ink,
    labelFontSize: 12,
    labelFontWeight: 600,
    labelLimit: 240,
    labelPadding: 6,
    titleColor: ROLES.muted,
    titleFontSize: 12,
    titleFontWeight: 400,
  },
  title: { color: ROLES.ink, fontSize: 13, fontWeight: 600, anchor: 'start', offset: 10 },
  range: {
    category: [...SERIES],
    symbol: [...SHAPES],
    diverging: ['#6ba3cc', '#eceeea', '#e39a6c'],
    heatmap: ['#eef3f6', '#8fbdda', '#4f94c0'],
    ramp: ['#eef3f6', '#8fbdda', '#4f94c0'],
  },
  mark: { color: SERIES[0], tooltip: false },
  point: { size: 62, filled: true, opacity: 1 },
  circle: { size: 40, opacity: 0.75 },
  tick: { thickness: 1.5 },
  rule: { strokeWidth: 1.75, strokeCap: 'round', color: SERIES[0] },
  line: { strokeWidth: 2, strokeCap: 'round', strokeJoin: 'round' },
  trail: { color: SERIES[0] },
  bar: { cornerRadiusEnd: 1 },
  text: { color: ROLES.ink, fontSize: 12 },
  errorbar: { ticks: false, rule: { strokeWidth: 1.75 } },
  boxplot: { size: 14, median: { color: ROLES.paper }, outliers: { size: 20 } },
} as const;

/**
 * Where a figure has one panel, the title of its y axis stands level above the axis, where it reads without turning
 * one's head; the legend makes room for it. Panels side by side keep it beside the axis.
 */
export const LEVEL_TITLE = {
  axisY: {
    domain: false,
    ticks: false,
    titleAngle: 0,
    titleAlign: 'left',
    titleX: 0,
    titleY: -9,
    titleBaseline: 'bottom',
  },
  legend: { offset: 30 },
} as const;

/** Replace the role and series colours of an SVG by CSS variables that fall back to themselves. */
export function withCssColors(svg: string): string {
  return svg.replace(/"(#[0-9a-f]{6})"/g, (whole, hex: string) => {
    const name = VARIABLES.get(hex);
    return name === undefined ? whole : `"var(--fig-${name}, ${hex})"`;
  });
}

const VARIABLES = new Map<string, string>([
  ...Object.entries(ROLES).map(([role, hex]) => [hex, role] as const),
  ...SERIES.map((hex, index) => [hex, `s${index}`] as const),
]);
