import { hasDetail, jsonText } from '../dialect.ts';
import type { Migration } from './migration.ts';

/** The indexes of what stands in the details of an entry: each by the names that the value may have there. */
const INDEXES = Object.entries({
	credential: ['credential'],
	request: ['requestId'],
	destination: ['destination'],
	name: ['name', 'fileName', 'profile'],
});

export const trailDetails: Migration = {
	name: '0034-trail-details.expand',
	async up(knex, dialect) {
		// SQLite reads the details of an entry once for all of its indexes. PostgreSQL reads them for each index, and again to
		// see whether the entry belongs there, which took half of the time of its insert. Here it looks for the name first.
		if (dialect === 'sqlite') return;
		for (const [part, names] of INDEXES) {
			const value = jsonText(dialect, 'details', ...names);
			await knex.raw(`create index audit_with_${part} on audit ((${value}), seq) where ${hasDetail('details', names)}`);
		}
	},
};

export const trailDetailsOnly: Migration = {
	name: '0035-trail-details.contract',
	async up(knex, dialect) {
		// The indexes above serve what these served.
		if (dialect === 'postgres') for (const [part] of INDEXES) await knex.raw(`drop index audit_by_${part}`);
	},
};
