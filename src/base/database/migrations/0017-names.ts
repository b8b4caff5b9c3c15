import type { Knex } from 'knex';
import type { Migration } from './migration.ts';

export const names: Migration = {
	name: '0017-names',
	async up(knex) {
		await knex.schema.alterTable('drop_files', (table) => {
			// A blob id is no longer unique, because the latest report of a name has two entries that share one blob.
			table.dropUnique(['blob_id']);
			table.index(['blob_id'], 'drop_files_by_blob');
		});
		await knex.schema.alterTable('jobs', (table) => {
			// This index serves the check whether a newer upload of the same name was accepted.
			table.index(['account_id', 'filter', 'name', 'seq'], 'jobs_by_name');
		});
		await renameFailedInputs(knex);
		await nameLatestReports(knex);
	},
};

/**
 * Renames the inputs that have failed so far: the newest input of a name becomes `<name>.failed`, older ones
 * `<name>.<job>.failed`.
 */
async function renameFailedInputs(knex: Knex): Promise<void> {
	const seen = new Set<string>();
	for (let before = Number.MAX_SAFE_INTEGER; ; ) {
		const page: Record<'id' | 'account_id' | 'area' | 'filter' | 'name' | 'job_id', string>[] = await knex('drop_files')
			.where({ state: 'failed' })
			.andWhere('id', '<', before)
			.orderBy('id', 'desc')
			.limit(500);
		if (page.length === 0) return;
		for (const { id, account_id, area, filter, name, job_id } of page) {
			const place = [account_id, area, filter, name].join('/');
			const ending = seen.has(place) ? `.${job_id}.failed` : '.failed';
			seen.add(place);
			await knex('drop_files')
				.where({ id })
				.update({ name: name + ending });
		}
		before = Number(page[page.length - 1].id);
	}
}

/**
 * Adds a second entry, `<name>.json`, for the report of the newest finished job of a name, and `<name>.csv` for that
 * report as CSV.
 */
async function nameLatestReports(knex: Knex): Promise<void> {
	const copied = 'account_id, area, filter, blob_id, size, state, created_by, job_id, created_at, modified_at';
	const from = copied.split(', ').map((column) => `r.${column}`);
	for (const ending of ['json', 'csv']) {
		await knex.raw(
			`insert into drop_files (name, ${copied})
			select j.name || '.${ending}', ${from.join(', ')} from jobs j
			join drop_files r on r.account_id = j.account_id and r.area = 'reports' and r.filter = j.filter
				and r.name = j.name || '.' || j.id || '.${ending}' and r.state = 'ready'
			where j.seq = (select max(o.seq) from jobs o where o.account_id = j.account_id and o.filter = j.filter
					and o.name = j.name and o.report_id is not null)
				and not exists (select 1 from drop_files t where t.account_id = j.account_id and t.area = 'reports'
					and t.filter = j.filter and t.name = j.name || '.${ending}' and t.state = 'ready')`,
		);
	}
}
