// Draws what charts of bars and charts of lines have in common: title, legend, and the axis of values.

import { tellNumber } from '../numbers.ts';
import { linear, ticksTo } from './scale.ts';
import { drawing, element, SERIES_CLASSES, textElement } from './svg.ts';

export const WIDTH = 860;
const HEIGHT = 380;
const SIGN = 12;
const LETTER = 7;
/** The part of the drawing that values are in. */
export const AREA = { left: 90, right: WIDTH - 20, top: 92, bottom: HEIGHT - 62 };

export interface Series {
	readonly name: string;
	/** The values, one for each place on the other axis; undefined if nothing was measured there. */
	readonly values: readonly (number | undefined)[];
}

export interface Chart {
	readonly title: string;
	/** A sentence that says what the drawing shows. */
	readonly description: string;
	/** The unit of the values. */
	readonly unit: string;
	/** What the axis below the values shows. */
	readonly across: string;
	readonly series: readonly Series[];
}

/** Returns the description and every value with its place, for those who do not see the drawing. */
function descriptionOf({ description, unit, series }: Chart, places: readonly string[]): string {
	const tell = (value: number | undefined) => (value === undefined ? 'not measured' : `${tellNumber(value)} ${unit}`);
	const lines = series.map(
		({ name, values }) => `${name}: ${places.map((place, n) => `${place} ${tell(values[n])}`).join(', ')}.`,
	);
	return [description, ...lines].join(' ');
}

/** Draws the frame, and within it what `draw` returns. `draw` is given a function that returns the height of a value. */
export function framed(
	chart: Chart,
	places: readonly string[],
	draw: (heightOf: (value: number) => number) => readonly string[],
): string {
	const { title, unit, across, series } = chart;
	const ticks = ticksTo(Math.max(0, ...series.flatMap(({ values }) => values.filter((value) => value !== undefined))));
	const heightOf = linear(ticks.at(-1)!, AREA.bottom, AREA.top);
	const content = [
		textElement('text', { x: 20, y: 28, 'font-size': 17, 'font-weight': 600 }, title),
		...legend(series),
		textElement('text', { class: 'soft', x: 20, y: AREA.top - 14 }, unit),
		...ticks.flatMap((tick) => [
			element('line', { class: 'grid', x1: AREA.left, x2: AREA.right, y1: heightOf(tick), y2: heightOf(tick) }),
			textElement(
				'text',
				{ class: 'soft', x: AREA.left - 8, y: heightOf(tick) + 4, 'text-anchor': 'end' },
				tellNumber(tick),
			),
		]),
		...draw(heightOf),
		element('line', { class: 'axis', x1: AREA.left, x2: AREA.right, y1: AREA.bottom, y2: AREA.bottom }),
		textElement(
			'text',
			{ class: 'soft', x: (AREA.left + AREA.right) / 2, y: HEIGHT - 14, 'text-anchor': 'middle' },
			across,
		),
	];
	return drawing({ width: WIDTH, height: HEIGHT }, { title, description: descriptionOf(chart, places) }, content);
}

function legend(series: readonly Series[]): string[] {
	let x = 20;
	return series.flatMap(({ name }, n) => {
		const at = x;
		x += SIGN + 6 + name.length * LETTER + 24;
		return [
			element('rect', { class: `bar ${classOf(n)}`, x: at, y: 44, width: SIGN, height: SIGN }),
			textElement('text', { x: at + SIGN + 6, y: 55 }, name),
		];
	});
}

/** Returns the class of the n-th series, which gives it its colour. */
export function classOf(n: number): string {
	return SERIES_CLASSES[n % SERIES_CLASSES.length];
}

/** Draws the label of a place on the axis below. */
export function placeLabel(x: number, text: string): string {
	return textElement('text', { x, y: AREA.bottom + 20, 'text-anchor': 'middle' }, text);
}
