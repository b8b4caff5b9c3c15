import { tellNumber } from '../numbers.ts';
import { AREA, type Chart, classOf, framed, placeLabel } from './frame.ts';
import { element, textElement } from './svg.ts';

const GAP_SHARE = 0.14;
const WIDEST = 90;

/** Draws bars side by side for each place, one for each series, with the value above it. */
export function drawBars(chart: Chart & { readonly places: readonly string[] }): string {
	const { places, series, unit } = chart;
	return framed(chart, places, (heightOf) => {
		const share = (AREA.right - AREA.left) / Math.max(1, places.length);
		const width = Math.min(WIDEST, (share * (1 - GAP_SHARE)) / Math.max(1, series.length));
		return places.flatMap((place, nth) => {
			const middle = AREA.left + share * (nth + 0.5);
			const first = middle - (width * series.length) / 2;
			const bars = series.flatMap(({ name, values }, n) =>
				bar({
					x: first + n * width,
					width,
					value: values[nth],
					heightOf,
					className: classOf(n),
					says: `${name}, ${place}`,
					unit,
				}),
			);
			return [...bars, placeLabel(middle, place)];
		});
	});
}

function bar(one: {
	readonly x: number;
	readonly width: number;
	readonly value: number | undefined;
	readonly heightOf: (value: number) => number;
	readonly className: string;
	/** What the bar shows, for those who point at it. */
	readonly says: string;
	readonly unit: string;
}): string[] {
	const { x, width, value, heightOf, className, says, unit } = one;
	const label = { x: x + width / 2, 'text-anchor': 'middle', 'font-size': 10.5 };
	if (value === undefined) return [textElement('text', { ...label, class: 'soft', y: AREA.bottom - 5 }, 'none')];
	// A value below zero has no bar; its number stands above the axis.
	const top = Math.min(AREA.bottom, heightOf(value));
	const title = textElement('title', {}, `${says}: ${tellNumber(value)} ${unit}`);
	return [
		element(
			'rect',
			{ class: `bar ${className}`, x: x + 1, y: top, width: width - 2, height: AREA.bottom - top },
			title,
		),
		textElement('text', { ...label, y: top - 5 }, tellNumber(Number(value.toPrecision(3)))),
	];
}
