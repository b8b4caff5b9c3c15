// Tests that the page of a failed file says in its reader's language what happened and what to do next, and offers another
// attempt only where that can help.

import test from 'ava';
import { generateKey } from 'openpgp';
import { ServiceError } from '../../src/base/errors.ts';
import { FAILURES, type FailureCode, whyColumns } from '../../src/base/failures.ts';
import { parseKey } from '../../src/base/openpgp/keys.ts';
import { failureOf } from '../../src/doors/http/portal/failures.ts';
import { isTextKey, sayIn, TEXTS } from '../../src/doors/http/portal/texts.ts';
import { openPgpKeys } from '../../src/work/pgp/pgp-keys.ts';
import { runNextJob } from '../helpers/http-jobs.ts';
import { openPortalApp, type SignedIn } from '../helpers/portal-app.ts';
import { sendMultipart } from '../helpers/portal-forms.ts';
import { sendPiece } from './files.setup.ts';

async function openFailed(t: Parameters<typeof openPortalApp>[0]) {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk', { language: 'de' });
	const { job } = (await sendPiece(parts, clerk, 'nothing here is a table\n"', { name: 'bad.csv' })).json();
	t.is(await runNextJob(parts), 'failed');
	const show = async (person: SignedIn) => (await person.get(`/portal/jobs/${job}`)).body;
	const failFor = (code: string, parameters: object) =>
		parts.database
			.knex('jobs')
			.where({ id: job })
			.update({
				error_code: code,
				error_parameters: JSON.stringify(parameters),
			});
	return { parts, clerk, job, show, failFor };
}

test('an allowance that is used up is said with its numbers and whom to ask, in the language of the reader', async (t) => {
	const { parts, clerk, show, failFor } = await openFailed(t);
	await failFor('allowance-used-up', { used: 16_022, limit: 10_000 });
	const german = await show(clerk);
	t.true(german.includes('Das Kontingent des Kontos ist aufgebraucht: 16.022 von 10.000.'));
	t.true(german.includes('Wenden Sie sich an den Betreiber.'));
	const english = await show(await parts.signIn('clerk'));
	t.true(english.includes('The allowance of the account is used up: 16,022 of 10,000.'));
	t.true(english.includes('Trying again helps only after that.'));
});

test('another attempt is offered only where it can help', async (t) => {
	const { clerk, job, show, failFor } = await openFailed(t);
	const button = `action="/portal/jobs/${job}/retry"`;
	const page = await show(clerk);
	t.false(page.includes(button), 'the file itself is wrong');
	t.true(page.includes('Berichtigen Sie die Datei'));
	for (const [code, isOffered] of [
		['input-missing', false],
		['worker-gone', true],
		['options-unfit', true],
		['file-not-text', false],
	] as const) {
		await failFor(code, { problems: 'x', found: 'x' });
		t.is((await show(clerk)).includes(button), isOffered, code);
		t.true((await show(clerk)).includes(TEXTS.de[`failure.codes.${code}`]), code);
	}
});

test('a trial says why a file would be refused in the words of a job that failed, with the exact ones beside them', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk', { language: 'de' });
	for (const [filter, text, code, next] of [
		['SIMPLECSV', 'a,b\n"', 'table-malformed', 'correct-file'],
		['SIMPLEJSON', '{"note":"4111111111111111"}', 'file-without-card-field', 'correct-options'],
	] as const) {
		const { body } = await sendMultipart(parts, clerk, '/portal/try', { fields: { filter, text } });
		const said = /<p class="notice bad"[^>]*>(.*?)<\/p>/s.exec(body)![1];
		const words = TEXTS.de[`failure.codes.${code}`].replace('{numbers}', '1');
		t.true(
			said.startsWith(`${TEXTS.de['trial.refused']} ${words} ${TEXTS.de[`failure.next.${next}`]} <small lang="en">`),
			said,
		);
	}
});

test('every failure has words in every language, with no other values than it has, and so has what to do next', (t) => {
	for (const [code, row] of Object.entries(FAILURES)) {
		const key = `failure.codes.${code}`;
		const known: readonly string[] = 'parameters' in row ? row.parameters : [];
		if (!isTextKey(key)) {
			t.fail(`${key} is no text`);
			continue;
		}
		for (const [language, texts] of Object.entries(TEXTS)) {
			t.truthy(texts[key].trim(), `${language} ${key}`);
			for (const [, value] of texts[key].matchAll(/\{(\w+)\}/g)) t.true(known.includes(value), `${language} ${key}`);
			t.truthy(texts[`failure.next.${row.next}`].trim(), `${language} ${row.next}`);
		}
	}
});

const exactly = (code: FailureCode, reason: string, values: Readonly<Record<string, string>> = {}) => {
	const words = TEXTS.de[`failure.codes.${code}`].replace(/\{(\w+)\}/g, (_, name) => values[name]);
	return `${words} ${TEXTS.de[`failure.next.${FAILURES[code].next}`]} <small lang="en">${reason}</small>`;
};

test('runs and files of a route say why they failed in the language of the reader, with the exact words beside it', async (t) => {
	const parts = await openPortalApp(t);
	const { knex } = parts.database;
	const clerk = await parts.signIn('clerk', { language: 'de' });
	const document = { from: { drop: '/tokenized/GBT' }, do: { operation: 'none' }, to: { drop: '/tokenized/CSV' } };
	t.is(
		(await clerk.caller!.inject('PUT', '/api/routes/fan', { payload: { name: 'fan', ...document } })).statusCode,
		200,
	);
	const { id: route_id, account_id } = await knex('routes').first('id', 'account_id');
	const because = (code: FailureCode, reason: string) => whyColumns({ reason, told: { code } });
	await knex('route_runs').insert({
		...{
			id: '01kjpz8q4y6t3wxa7n5c2dme9r',
			route_id,
			account_id,
			trigger: 'hand',
			state: 'failed',
			started_at: 5,
			ended_at: 6,
		},
		...because('partner-login-refused', 'host: the password was not accepted'),
	});
	const file = { path: 'may.csv', size: 10, tries: 1 };
	await knex('route_run_files').insert({
		...{ ...file, run_id: '01kjpz8q4y6t3wxa7n5c2dme9r', state: 'dead' },
		...because('header-missing', 'the header is missing (line 1)'),
	});
	await knex('route_files').insert([
		{ ...file, route_id, modified_at: 5, seen_at: 5, state: 'dead', ...because('card-in-name', 'file names must not') },
		// An earlier version has stored no code.
		{ ...file, path: 'june.csv', route_id, modified_at: 5, seen_at: 5, state: 'dead', reason: 'it has 0 bytes' },
	]);
	for (const path of ['/portal/routes/fan', '/portal/routes/fan/runs']) {
		const { body } = await clerk.get(path);
		t.true(body.includes(exactly('partner-login-refused', 'host: the password was not accepted')), path);
		t.true(body.includes(exactly('header-missing', 'the header is missing (line 1)')), path);
	}
	const { body } = await clerk.get('/portal/routes/fan/files');
	t.true(body.includes(exactly('card-in-name', 'file names must not')));
	t.true(body.includes('<small lang="en">it has 0 bytes</small>'));
	for (const url of ['/api/routes/fan/runs', '/api/routes/fan/files'])
		t.notRegex((await clerk.caller!.inject('GET', url)).body, /told|code/, 'interfaces have the exact words alone');
});

test('a delivery of an event says why it was not received in the language of the reader', async (t) => {
	const parts = await openPortalApp(t);
	const developer = await parts.signIn('developer', { language: 'de' });
	const id = 'evt_01kjpz8q4y6t3wxa7n5c2dme9r';
	const event = { id, account_id: developer.viewer.account!.id, about: 'job 1' };
	const body = JSON.stringify({ type: 'job.done', timestamp: '2026-03-01T00:00:00.000Z', data: {} });
	await parts.database.knex('events').insert({ ...event, type: 'job.done', body, created_at: 5 });
	const { id: _, ...shared } = event;
	const told = { code: 'receiver-refused', parameters: { status: 500 } };
	await parts.database.knex('event_deliveries').insert({
		...{
			...shared,
			event_id: id,
			endpoint_id: 'gone',
			state: 'failed',
			tries: 9,
			status: 500,
			next_at: 5,
			ended_at: 6,
		},
		...whyColumns({ reason: 'the receiver answered 500', told }),
	});
	const page = await developer.get(`/portal/events/${id}`);
	t.true(page.body.includes(exactly('receiver-refused', 'the receiver answered 500', { status: '500' })), page.body);
});

test('a route that was stopped, and what a check finds, are told in the language of the reader with what to do next', async (t) => {
	const parts = await openPortalApp(t);
	const { knex } = parts.database;
	const clerk = await parts.signIn('clerk', { language: 'de' });
	const drop = '/tokenized/GBT';
	const document = {
		name: 'round',
		from: { drop },
		do: { operation: 'none', encrypt: { for: ['bank'] } },
		to: { drop, name: '{name}' },
	};
	const put = () => clerk.caller!.inject('PUT', '/api/routes/fan', { payload: { ...document, name: 'fan' } });
	const keys = openPgpKeys(parts);
	const owner = { accountId: clerk.viewer.account!.id, ownerId: clerk.viewer.account!.id, userId: 'agency' };
	const { publicKey } = await generateKey({ userIDs: [{ name: 'bank' }], format: 'object' });
	await keys.put(owner, 'bank', await parseKey('bank', Buffer.from(publicKey.armor()), undefined), 'operator test');
	t.is((await put()).statusCode, 200);
	await keys.revoke(owner, 'bank', 'operator test');
	const row = { account_id: owner.accountId, area: 'tokenized', filter: 'GBT', size: 0, state: 'ready', created_at: 0 };
	await knex('drop_files').insert({ ...row, name: 'may.csv', blob_id: 'b1', modified_at: 0 });
	const { body } = await clerk.post('/portal/routes/fan/check');
	const over = 'the key bank is revoked: import or create a new one under this name (pgp-key import, pgp-key create)';
	t.true(body.includes(exactly('pgp-key-over', over, { key: 'bank' })), body);
	t.true(body.includes(TEXTS.de['failure.codes.route-in-circles']));
	t.true(body.includes(exactly('file-empty', 'it would be given up: it has 0 bytes')));

	const reason = 'host: the password was not accepted';
	await knex('routes').update({ stopped_reason: reason });
	t.true((await clerk.get('/portal/routes/fan')).body.includes(exactly('route-stopped', reason)));
	t.is((await clerk.caller!.inject('GET', '/api/routes/fan')).json().stoppedBecause, reason);
});

test('why an endpoint was disabled is told in the language of the reader, and in English where only that was stored', async (t) => {
	const parts = await openPortalApp(t);
	const { knex } = parts.database;
	const developer = await parts.signIn('developer', { language: 'de' });
	const put = { url: 'https://crm.agency.example/events' };
	t.is((await developer.caller!.inject('PUT', '/api/event-endpoints/crm', { payload: put })).statusCode, 200);
	const page = async () => (await developer.get('/portal/event-endpoints/crm')).body;
	const reason = 'nothing was received for five days';
	for (const [told, shown] of [
		[{ code: 'receiver-silent', parameters: { days: 5 } }, exactly('receiver-silent', reason, { days: '5' })],
		[null, `<dd><small lang="en">${reason}</small></dd>`],
	] as const) {
		const columns = { disabled_at: 5, disabled_reason: reason, told: told && JSON.stringify(told) };
		await knex('event_endpoints').update(columns);
		t.true((await page()).includes(shown), shown);
		const [endpoint] = (await developer.caller!.inject('GET', '/api/event-endpoints')).json();
		t.like(endpoint, { state: 'disabled', reason });
		t.deepEqual(Object.keys(endpoint), [
			...['name', 'kind', 'target', 'types', 'signature', 'state', 'reason', 'createdAt', 'updatedAt'],
		]);
	}
	const tested = await developer.post('/portal/event-endpoints/crm/test');
	t.is(tested.statusCode, 400);
	t.regex(tested.body, /Das Beispiel kam nicht an\. [^<]+\. [^<]+\. <small lang="en">/);
});

test('a destination that cannot be used, and a refusal on a page, are told in the language of the reader', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager', { language: 'de' });
	const destination = { name: 'bank', kind: 'sftp', host: '127.0.0.1', port: '9', userName: 'u', password: 'secret' };
	t.is((await manager.post('/portal/parties/destinations/save', destination)).statusCode, 303);
	const { statusCode, body } = await manager.post('/portal/parties/destinations/bank/check');
	t.is(statusCode, 400);
	t.regex(body, /class="notice bad"[^>]*>[^<]+\. [^<]+\. <small lang="en">/);
	const refused = failureOf(new ServiceError('storage-quota-exceeded', { moreInfo: 'too much' }), {
		...{ say: sayIn('de'), language: 'de', request: { id: '1' } as never, viewer: undefined },
	});
	const words = `${TEXTS.de['failure.codes.storage-quota-exceeded']} ${TEXTS.de['failure.next.make-room']} (too much)`;
	t.is(refused.text, TEXTS.de['frame.errors.refused'].replace('{reason}', words));
});
