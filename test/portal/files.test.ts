// Tests files in the portal: they are sent, watched, fetched, tried again and deleted, by those who may.

import test from 'ava';
import { runNextJob } from '../helpers/http-jobs.ts';
import { openPortalApp } from '../helpers/portal-app.ts';
import { sendMultipart } from '../helpers/portal-forms.ts';
import { CSV, JSON_ACCEPT, sendPiece } from './files.setup.ts';

test('a piece needs the token in its header, whatever it says it is', async (t) => {
	const parts = await openPortalApp(t);
	const { cookie } = await parts.signIn('clerk');
	for (const type of ['application/octet-stream', 'multipart/form-data; boundary=x', 'text/plain']) {
		const answer = await parts.app.inject({
			method: 'POST',
			url: `/portal/upload/tokenize/CSV?offset=0&size=${CSV.length}`,
			payload: CSV,
			headers: {
				cookie,
				...JSON_ACCEPT,
				'x-file-name': 'may.csv',
				'content-type': type,
				'sec-fetch-site': 'same-origin',
			},
		});
		t.is(answer.statusCode, 403, type);
	}
	t.is((await parts.database.knex('drop_files')).length, 0);
});

test('a failed file is tried again, and files are deleted after a question', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	const { job } = (await sendPiece(parts, manager, 'nothing here is a table\n"', { name: 'bad.csv' })).json();
	t.is(await runNextJob(parts), 'failed');
	const page = (await manager.get(`/portal/jobs/${job}`)).body;
	t.true(page.includes('Mend the file'));
	const retried = await manager.post(`/portal/jobs/${job}/retry`);
	t.is(retried.headers.location, `/portal/jobs/${job}`);
	t.is((await manager.post(`/portal/jobs/${job}/retry`)).statusCode, 400);
	t.is(await runNextJob(parts), 'failed');
	const question = (await manager.get(`/portal/jobs/${job}/delete`)).body;
	t.true(question.includes('/reports/CSV/'));
	t.true(question.includes('cannot be brought back'));
	t.is((await manager.post(`/portal/jobs/${job}/delete`)).statusCode, 303);
	t.true((await manager.get(`/portal/jobs/${job}/delete`)).body.includes('Nothing of this file is left'));
	t.true((await manager.get(`/portal/jobs/${job}`)).body.includes('There is no report'));
	t.is((await manager.post(`/portal/jobs/${job}/retry`)).statusCode, 400);
	const trail = JSON.stringify(await parts.database.knex('audit').select('*'));
	t.true(trail.includes('file.remove') && trail.includes('file.retry'));
});

for (const [path, fields] of [
	['/portal/upload', { folder: 'tokenize/CSV' }],
	['/portal/try', { filter: 'CSV' }],
] as const) {
	test(`a form to ${path} whose session ends while its file is sent leads to the sign-in page`, async (t) => {
		const parts = await openPortalApp(t);
		const clerk = await parts.signIn('clerk');
		const answer = await sendMultipart(parts, clerk, path, {
			fields,
			files: { 'may.csv': CSV },
			meanwhile: () => clerk.end(),
		});
		t.is(answer.statusCode, 303, answer.body);
		t.regex(String(answer.headers.location), /\/portal\/login\?/);
	});
}
