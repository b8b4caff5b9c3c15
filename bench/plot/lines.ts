import { tellNumber } from '../numbers.ts';
import { AREA, type Chart, classOf, framed, placeLabel } from './frame.ts';
import { linear, logarithmic } from './scale.ts';
import { element, textElement } from './svg.ts';

/** A place on the axis below. */
export interface Place {
	/** The value of the place, which is above 0. */
	readonly at: number;
	readonly label: string;
}

const INSET = 40;
const DOT = 4;

/**
 * Draws a line for each series over places on an axis, which is logarithmic unless `isLinear` is true. A line has a gap
 * where nothing was measured.
 */
export function drawLines(chart: Chart & { readonly places: readonly Place[]; readonly isLinear?: boolean }): string {
	const { places, series, unit, isLinear = false } = chart;
	const labels = places.map(({ label }) => label);
	const values = places.map(({ at }) => at);
	const [from, to] = [AREA.left + INSET, AREA.right - INSET];
	const acrossOf = isLinear ? linear(Math.max(...values), from, to) : logarithmic(values, from, to);
	return framed(chart, labels, (heightOf) => [
		...series.flatMap(({ name, values }, n) => {
			const dots = places.map(({ at, label }, nth) => ({ label, x: acrossOf(at), value: values[nth] }));
			const seen = dots.filter((dot) => dot.value !== undefined) as { label: string; x: number; value: number }[];
			const points = dots.map(({ x, value }) => (value === undefined ? undefined : ([x, heightOf(value)] as const)));
			return [
				element('path', { class: `line ${classOf(n)}`, d: pathOf(points) }),
				...seen.map(({ label, x, value }) =>
					element(
						'circle',
						{ class: classOf(n), cx: x, cy: heightOf(value), r: DOT },
						textElement('title', {}, `${name}, ${label}: ${tellNumber(value)} ${unit}`),
					),
				),
			];
		}),
		...places.map(({ at, label }) => placeLabel(acrossOf(at), label)),
	]);
}

function pathOf(points: readonly (readonly [number, number] | undefined)[]): string {
	return points
		.map(
			(point, n) =>
				point && `${points[n - 1] === undefined ? 'M' : 'L'}${point.map((each) => each.toFixed(1)).join(' ')}`,
		)
		.filter((part) => part !== undefined)
		.join(' ');
}
