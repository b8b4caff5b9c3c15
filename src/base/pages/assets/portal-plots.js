// @ts-check
// Draws the plots of a page from the numbers of its tables. Without this script the tables say the same.

import { onShown } from './portal-shown.js';

/**
 * @typedef {{ times: number[], series: { values: (number | null)[] }[], isDaily: boolean }} Plot
 * @typedef {new (options: object, data: (number | null)[][], target: Element) => { destroy(): void, setSize(size: { width: number, height: number }): void }} UPlot
 */

const HEIGHT = 220;
/** Steps between the marks of the vertical axis: 1, 2, 5, 10 and so on. There are no halves of cards or files. */
const STEPS = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();
const Plotter = /** @type {UPlot | undefined} */ (/** @type {any} */ (globalThis).uPlot);
const dark = matchMedia('(prefers-color-scheme: dark)');
/** @type {{ destroy(): void, setSize(size: { width: number, height: number }): void, box: HTMLElement }[]} */
let drawn = [];

/**
 * Returns a colour of the style sheet as it is in the present scheme.
 *
 * @param {HTMLElement} box
 * @param {string} name
 */
const colourIn = (box, name) => {
	box.style.color = `var(${name})`;
	const { color } = getComputedStyle(box);
	box.style.color = '';
	return color;
};

/**
 * @param {HTMLElement} box
 * @param {Plot} plot
 */
const draw = (box, { times, series, isDaily }) => {
	if (!Plotter) return;
	/** @param {string} name */
	const colour = (name) => colourIn(box, name);
	const [ink, line] = [colour('--quiet'), colour('--line')];
	const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
	const language = document.documentElement.lang;
	/** @type {Intl.DateTimeFormatOptions} */
	const shape = isDaily ? { day: 'numeric', month: 'short' } : { hour: '2-digit', minute: '2-digit' };
	const format = new Intl.DateTimeFormat(language, { ...shape, timeZone: 'UTC' });
	const counts = new Intl.NumberFormat(language, { notation: 'compact' });
	const plotted = new Plotter(
		{
			...{ width: box.clientWidth, height: HEIGHT, legend: { show: false }, cursor: { drag: { x: false, y: false } } },
			scales: {
				x: { time: true },
				y: {
					range: (/** @type {unknown} */ _, /** @type {number} */ _low, /** @type {number} */ high) => [
						0,
						Math.max(1, high * 1.1),
					],
				},
			},
			axes: [
				{
					...axis,
					values: (/** @type {unknown} */ _, /** @type {number[]} */ ticks) =>
						ticks.map((at) => format.format(at * 1000)),
				},
				{
					...axis,
					size: 60,
					incrs: STEPS,
					values: (/** @type {unknown} */ _, /** @type {number[]} */ ticks) =>
						ticks.map((value) => counts.format(value)),
				},
			],
			series: [
				{},
				...series.map((_, index) => ({
					stroke: colour(`--line-${index + 1}`),
					width: 2,
					dash: index > 2 ? [6, 4] : undefined,
					points: { show: times.length < 35 },
				})),
			],
		},
		[times, ...series.map(({ values }) => values)],
		box,
	);
	drawn.push(Object.assign(plotted, { box }));
};

const drawAll = () => {
	for (const each of drawn) each.destroy();
	drawn = [];
	for (const box of document.querySelectorAll('[data-plot]')) {
		if (box instanceof HTMLElement) {
			draw(box, JSON.parse(box.dataset.numbers ?? ''));
			box.dataset.drawn = box.dataset.numbers;
		}
	}
};

onShown(drawAll);
document.addEventListener('portal:changed', () => {
	const boxes = [...document.querySelectorAll('[data-plot]')];
	if (boxes.some((box) => box instanceof HTMLElement && box.dataset.drawn !== box.dataset.numbers)) drawAll();
});
dark.addEventListener('change', drawAll);
addEventListener('resize', () => {
	for (const each of drawn) each.setSize({ width: each.box.clientWidth, height: HEIGHT });
});
