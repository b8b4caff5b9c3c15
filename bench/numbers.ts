/**
 * Returns a number as tables and axes show it: with three significant digits or as a whole number, and with thousands
 * apart.
 */
export function tellNumber(value: number): string {
	const rounded = value === 0 ? 0 : Number(value.toPrecision(Math.max(3, Math.ceil(Math.log10(Math.abs(value))))));
	return rounded.toLocaleString('en', { maximumFractionDigits: 6 });
}
