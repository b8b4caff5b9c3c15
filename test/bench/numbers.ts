/** A number as tables and axes show it: three significant digits, and thousands apart. */
export function tellNumber(value: number): string {
	const rounded = value === 0 ? 0 : Number(value.toPrecision(Math.max(3, Math.ceil(Math.log10(Math.abs(value))))));
	return rounded.toLocaleString('en', { maximumFractionDigits: 6 });
}
