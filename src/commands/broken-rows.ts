/** Returns what follows the table of a list: whose rows somebody has changed in the database, if there are any. */
export function brokenRows<Row extends { readonly isBroken: boolean }>(
	rows: readonly Row[],
	nameOf: (row: Row) => string,
): string {
	const names = rows.filter(({ isBroken }) => isBroken).map(nameOf);
	if (names.length === 0) return '';
	return (
		`\nSomebody has changed the database: the row of ${names.join(', ')} does not fit its seal, and nobody can use it. ` +
		'The entries integrity.failed of the audit trail say more.'
	);
}
