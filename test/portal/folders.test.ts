// Tests the options of folders that an account sets in the portal.

import test from 'ava';
import { databases } from '../helpers/database.ts';
import { openPortalApp, type SignedIn } from '../helpers/portal-app.ts';

const CSV = 'name,cardnumber,expiry\nMARIE,4111111111111111,12/30\nJOHN,4111111111111112,12/30\n';

async function versionOf(person: SignedIn, path = '/portal/folders/CSV'): Promise<string> {
	return /name="version" value="([^"]+)"/.exec((await person.get(path)).body)![1];
}

test('only a manager with a second factor sets the account to which a folder gives its cards; others keep it', async (t) => {
	const parts = await openPortalApp(t);
	const [developer, weak] = [
		await parts.signIn('developer'),
		await parts.signIn('manager', { hasSecondFactor: false }),
	];
	const manager = await parts.signIn('manager');
	const save = async (person: SignedIn, options: string) =>
		person.post('/portal/folders/CSV', { version: await versionOf(person), options, act: 'save' });
	for (const person of [developer, weak]) {
		const refused = await save(person, '{"merchantId":"hotel"}');
		t.is(refused.statusCode, 400);
		t.regex(refused.body, /gives the cards of the files to another account/);
	}
	t.deepEqual(await parts.database.knex('format_options'), []);
	t.is((await save(manager, '{"merchantId":"hotel"}')).statusCode, 303);
	t.is((await save(developer, '{"merchantId":"hotel","onRefused":"reject"}')).statusCode, 303);
	t.is((await save(developer, '{"merchantId":"bank"}')).statusCode, 400);
	t.is((await save(developer, '{}')).statusCode, 303);
});

for (const dialect of databases) {
	test(`${dialect}: options are checked, tried on an example, saved and removed`, async (t) => {
		const parts = await openPortalApp(t, dialect);
		const developer = await parts.signIn('developer');
		const post = (form: Record<string, string>, path = '/portal/folders/CSV') => developer.post(path, form);
		const version = await versionOf(developer);
		const wrong = await post({ version, options: '{"onRefused":"no"}', act: 'save' });
		t.is(wrong.statusCode, 400);
		t.regex(wrong.body, /onRefused: /);
		t.true((await post({ version, options: '{', act: 'save' })).body.includes('this is not JSON'));
		t.true(
			(await post({ version, options: '{"merchantId":"4111111111111111"}', act: 'try' })).body.includes(
				'must not hold card numbers',
			),
		);
		const options = '{"onRefused":"reject"}';
		const tried = await post({ version, options, example: CSV, act: 'try' });
		t.is(tried.statusCode, 200);
		t.true(tried.body.includes('The file would be refused'), tried.body);
		t.false(/4111\d{12}/.test(tried.body));
		t.true((await post({ version, options: '{}', example: CSV, act: 'try' })).body.includes('Refused: 1.'));
		t.true((await post({ version, options, act: 'try' })).body.includes('The options fit.'));
		t.deepEqual(await parts.database.knex('format_options'), []);

		t.is((await post({ version, options, act: 'save' })).statusCode, 303);
		t.true((await developer.get('/portal/folders')).body.includes('onRefused'));
		const next = await versionOf(developer);
		t.not(next, version);
		t.is(
			(await post({ version: next, options: '{"report":{"csv":true}}', act: 'save' }, '/portal/folders/all'))
				.statusCode,
			409,
		);
		const all = await versionOf(developer, '/portal/folders/all');
		t.is((await post({ version: all, options: '{"columns":1}', act: 'save' }, '/portal/folders/all')).statusCode, 400);
		t.is(
			(await post({ version: all, options: '{"report":{"csv":true}}', act: 'save' }, '/portal/folders/all')).statusCode,
			303,
		);
		t.is((await post({ version: next, options: '', act: 'remove' })).statusCode, 303);
		const rows = await parts.database.knex('format_options');
		t.deepEqual(
			rows.map(({ filter }) => filter),
			['*'],
		);
		const trail = await parts.database.knex('audit').whereLike('action', 'format-options%');
		t.is(trail.length, 3);
		t.true(JSON.stringify(trail).includes('portal-user'));
	});

	test(`${dialect}: of two people who change the same options the second is told`, async (t) => {
		const parts = await openPortalApp(t, dialect);
		const [one, two] = [await parts.signIn('developer'), await parts.signIn('manager')];
		const version = await versionOf(one);
		t.is(await versionOf(two), version);
		const save = (person: SignedIn, options: string) =>
			person.post('/portal/folders/CSV', { version, options, act: 'save' });
		const answers = await Promise.all([save(one, '{"onRefused":"mask"}'), save(two, '{"onRefused":"reject"}')]);
		t.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [303, 409]);
		const told = answers.find(({ statusCode }) => statusCode === 409)!;
		t.true(told.body.includes('Somebody else has changed these options'));
		t.true(told.body.includes('mask') && told.body.includes('reject'));
		const merged = /name="version" value="([^"]+)"/.exec(told.body)![1];
		t.is(
			(await two.post('/portal/folders/CSV', { version: merged, options: '{"onRefused":"pass"}', act: 'save' }))
				.statusCode,
			303,
		);
	});
}

test('who may not change options sees them, and no account sees those of another', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	await manager.post('/portal/folders/GBT', { version: 'none', options: '{"onRefused":"mask"}', act: 'save' });
	const clerk = await parts.signIn('clerk');
	const page = (await clerk.get('/portal/folders/GBT')).body;
	t.true(page.includes('&quot;onRefused&quot;: &quot;mask&quot;') && !page.includes('<textarea'));
	t.is((await clerk.post('/portal/folders/GBT', { version: 'none', options: '{}', act: 'save' })).statusCode, 403);
	const other = await parts.signIn('manager', { account: 'other' });
	t.false((await other.get('/portal/folders/GBT')).body.includes(': &quot;mask'));
	t.is((await other.get('/portal/folders/NONE')).statusCode, 404);
	await parts.database.knex('format_options').update({ options: '{}' });
	t.true((await manager.get('/portal/folders/GBT')).body.includes('altered in the database'));
});
