// Tests third parties in the portal: profiles that are tried and saved, destinations, and credentials that are never shown.

import test from 'ava';
import { VISA } from '../helpers/card-calls.ts';
import { openPortalApp } from '../helpers/portal-app.ts';
import { standsAlone } from '../helpers/stands-alone.ts';

const PARTIES = '/portal/parties';
const PROFILES = `${PARTIES}/profiles`;
const XSS = '<img src=x onerror=alert(1)>';
const TEXT = `name: Pms
description: A hotel
direction: tokenize
body: json
targetUri: https://pms.example/api
cards:
  - number: $.card.number
    expiryMonth: $.card.month
    securityCode: $.card.cvc
    nameOnCard: $.guest.missing
`;
const EXAMPLE = `{"card": {"number": "${VISA}", "month": "12", "cvc": "306"}, "other": "5555555555554444"}`;

test('a profile is saved, changed and removed, which the trail shows with the user', async (t) => {
	const parts = await openPortalApp(t);
	const developer = await parts.signIn('developer');
	t.regex((await developer.get(PARTIES)).body, /There is no profile yet/);
	t.regex((await developer.get(`${PARTIES}/new-profile`)).body, /name: MyProfile/);
	const saved = await developer.post(`${PROFILES}/save`, {
		name: '',
		version: '0',
		text: TEXT.replaceAll('\n', '\r\n'),
	});
	t.is(saved.headers.location, `${PROFILES}/Pms`);
	t.true((await developer.get(PARTIES)).body.includes(`href="${PROFILES}/Pms"`));
	const shown = await developer.get(`${PROFILES}/Pms`);
	t.regex(shown.body, /name="version" value="1"/);
	const renamed = await developer.post(`${PROFILES}/save`, {
		name: 'Pms',
		version: '1',
		text: TEXT.replace('Pms', 'Other'),
	});
	t.is(renamed.statusCode, 400);
	t.regex(renamed.body, /expected Pms: a profile keeps its name/);
	for (const name of ['new', 'save', 'try']) {
		await developer.post(`${PROFILES}/save`, { name: '', version: '0', text: TEXT.replace('Pms', name) });
		t.regex((await developer.get(`${PROFILES}/${name}`)).body, new RegExp(`name: ${name}\n`), 'any name has a page');
		await developer.post(`${PROFILES}/${name}/remove`);
	}
	const viewer = await parts.signIn('viewer');
	t.false((await viewer.get(`${PROFILES}/Pms`)).body.includes('<textarea'));
	t.regex((await developer.get(`${PROFILES}/Pms/remove`)).body, /will fail from now on/);
	t.is((await developer.post(`${PROFILES}/Pms/remove`)).headers.location, PARTIES);
	t.is((await developer.post(`${PROFILES}/Pms/remove`)).statusCode, 404);
	const trail = await parts.database.knex('audit').whereIn('action', ['profile.put', 'profile.remove']).orderBy('seq');
	t.is(trail.length, 8);
	for (const entry of trail) t.true(JSON.stringify(entry).includes(`portal-user ${developer.viewer.user.id}`));
});

test('what is wrong with a profile is said with line and column, and no number is written back', async (t) => {
	const parts = await openPortalApp(t);
	const developer = await parts.signIn('developer');
	const text = `${TEXT}    nmuber: $.x\nhosts: [${VISA}.example]\n`.replace('A hotel', XSS);
	const { statusCode, body } = await developer.post(`${PROFILES}/save`, { name: '', version: '0', text });
	t.is(statusCode, 400);
	t.regex(body, /Line 11, column 5<\/a> <code>\/cards\/0\/nmuber<\/code>: no such key; perhaps number/);
	t.false(body.includes(VISA));
	t.false(body.includes(XSS));
	t.true(body.includes('&lt;img src=x'));
	t.is((await developer.get(`${PROFILES}/Pms`)).statusCode, 404, 'it is not saved');
});

test('of two who change a profile the second is told, sees both, and may save over it', async (t) => {
	const parts = await openPortalApp(t);
	const [one, two] = [await parts.signIn('manager'), await parts.signIn('developer')];
	await one.post(`${PROFILES}/save`, { name: '', version: '0', text: TEXT });
	const save = (person: typeof one, version: number, description: string) =>
		person.post(`${PROFILES}/save`, {
			name: 'Pms',
			version: String(version),
			text: TEXT.replace('A hotel', description),
		});
	t.is((await save(one, 1, 'the first change')).statusCode, 303);
	const told = await save(two, 1, 'the second change');
	t.is(told.statusCode, 409);
	t.regex(told.body, /Somebody else has saved this profile/);
	t.true(told.body.includes('description: the first change'));
	t.true(told.body.includes('description: the second change'));
	const [, version] = /name="version" value="(\d+)"/.exec(told.body) ?? [];
	t.is((await save(two, Number(version), 'the second change')).statusCode, 303);
	await one.post(`${PROFILES}/Pms/remove`);
	t.regex((await save(two, 3, 'again')).body, /Somebody else has removed/);
});

test('a trial marks each part at its place, masked, and says why a path finds nothing', async (t) => {
	const parts = await openPortalApp(t);
	const developer = await parts.signIn('developer');
	const tried = async (text: string, example: string) =>
		(await developer.post(`${PROFILES}/try`, { name: '', version: '0', text, example })).body;
	const body = await tried(TEXT, EXAMPLE);
	t.false(body.includes(VISA) || body.includes('5555555555554444'));
	const trial = body.slice(body.indexOf('id="trial"'));
	t.notRegex(trial, standsAlone('306'));
	t.regex(trial, /<mark>411111\*{6}1111<small> \[1: number\]/);
	t.regex(trial, /<mark>12<small> \[1: expiryMonth\]/);
	t.regex(trial, /<mark>\*\*\*<small> \[1: securityCode\]/);
	t.regex(trial, /\/cards\/0\/nameOnCard<\/th>.*matches nothing/);
	t.regex(trial, /other<\/th>/, 'a number that no path names');
	const live = await parts.app.inject({
		method: 'POST',
		url: `${PROFILES}/try`,
		headers: {
			cookie: developer.cookie,
			'x-portal-part': '1',
			'sec-fetch-site': 'same-origin',
			'content-type': 'application/x-www-form-urlencoded',
		},
		payload: new URLSearchParams({ text: TEXT, example: EXAMPLE, _csrf: tokenOf(body) }).toString(),
	});
	t.true(live.body.startsWith('<section id="trial"'));
	t.regex(await tried(TEXT, '{'), /class="notice bad"/);
	t.regex(await tried('name: 1', EXAMPLE), /The profile cannot be used like this/);
	t.regex(await tried(TEXT, ''), /Give an example/);
	t.regex(await tried(TEXT, `{"a": "${'x'.repeat(70_000)}"}`), /larger than 64 KB/);
	t.false((await tried(TEXT, `{"card": {"number": "${XSS}"}}`)).includes(XSS));
	const text = 'name: Text\ndirection: replace\nbody: text\ntargetUri: https://a.example\n';
	t.regex(await tried(text, 'card={{cardNumber}}'), /<mark>\{\{cardNumber\}\}<small>/);
	t.regex(await tried(text, 'name={{nameOnCard}}'), /The content type has no rule for names/);
	t.notRegex(await tried(`${text}contentType: text/xml\n`, 'name={{nameOnCard}}'), /has no rule for names/);
});

const tokenOf = (body: string) => /name="_csrf" value="([^"]+)"/.exec(body)?.[1] ?? '';

test('secrets of a profile are stars, and stay when it is saved again', async (t) => {
	const parts = await openPortalApp(t);
	const developer = await parts.signIn('developer');
	const text = `${TEXT}authorization: Basic c2VjcmV0\n`;
	await developer.post(`${PROFILES}/save`, { name: '', version: '0', text });
	const { body } = await developer.get(`${PROFILES}/Pms`);
	t.false(body.includes('c2VjcmV0'));
	const shown = `${TEXT.replace('A hotel', 'Another')}authorization: '********'\n`;
	t.is((await developer.post(`${PROFILES}/save`, { name: 'Pms', version: '1', text: shown })).statusCode, 303);
	const { ownerId } = developer.viewer.principal!;
	t.is((await parts.profiles.find(ownerId, 'Pms'))?.authorization, 'Basic c2VjcmV0');
	const moved = await developer.post(`${PROFILES}/save`, {
		name: 'Pms',
		version: '2',
		text: shown.replace('pms.example', 'evil.example'),
	});
	t.is(moved.statusCode, 400);
	t.regex(moved.body, /the stars only stand for it/);
});

test('presets are shown and copied as a start', async (t) => {
	const parts = await openPortalApp(t);
	const developer = await parts.signIn('developer');
	const [preset] = parts.profiles.presets();
	t.regex((await developer.get(`${PARTIES}/presets/${preset.name}`)).body, /Copy as a start/);
	t.true((await developer.get(`${PARTIES}/new-profile?from=${preset.name}`)).body.includes(`name: ${preset.name}`));
	t.is((await developer.get(`${PARTIES}/presets/Nothing`)).statusCode, 404);
});

test('destinations and gateway credentials are kept by managers, and their secrets never shown', async (t) => {
	const parts = await openPortalApp(t);
	const [manager, developer] = [await parts.signIn('manager'), await parts.signIn('developer')];
	const form = { name: 'bank', host: '127.0.0.1', port: '1', userName: XSS, folder: '/in', password: 'hunter2-secret' };
	t.is((await developer.post(`${PARTIES}/destinations/save`, form)).statusCode, 403);
	t.is((await manager.post(`${PARTIES}/destinations/save`, form)).headers.location, `${PARTIES}/destinations/bank`);
	for (const path of [PARTIES, `${PARTIES}/destinations/bank`]) {
		const { body } = await manager.get(path);
		t.false(body.includes('hunter2-secret') || body.includes(XSS), path);
	}
	const again = await manager.post(`${PARTIES}/destinations/save`, { ...form, password: '' });
	t.is(again.statusCode, 400, 'a secret is typed with every change');
	t.regex(again.body, /a password or a privateKey is required/);
	t.false(again.body.includes('column 1'));
	const wrong = await manager.post(`${PARTIES}/destinations/save`, { ...form, folder: VISA });
	t.is(wrong.statusCode, 400);
	t.false(wrong.body.includes(VISA));
	t.is((await developer.post(`${PARTIES}/destinations/bank/check`)).statusCode, 400, 'nobody listens there');
	const owner = manager.viewer.principal!;
	const document = {
		name: 'r',
		from: { drop: '/tokenized/CSV' },
		do: { operation: 'none' },
		to: { destination: 'bank' },
	};
	await parts.routes.put(owner, await parts.routes.read(owner, JSON.stringify(document)), 'test');
	const told = new RegExp(`These fail without it: route ${owner.userId}/r`);
	t.regex((await manager.get(`${PARTIES}/destinations/bank`)).body, told);
	t.is((await manager.post(`${PARTIES}/destinations/bank/remove`)).headers.location, PARTIES);

	const credentials = `${PARTIES}/credentials`;
	const stripe = { gateway: 'Stripe', id: 'shop-1', 'Credentials.SecretKey': 'sk_test_4eC39HqLyjWDarjtT1zdp7dc' };
	t.is((await developer.post(`${credentials}/save`, stripe)).statusCode, 403);
	t.regex((await manager.get(`${PARTIES}/new-credentials?gateway=Stripe`)).body, /name="Credentials.SecretKey"/);
	const refused = await manager.post(`${credentials}/save`, { ...stripe, id: XSS });
	t.is(refused.statusCode, 400);
	t.false(refused.body.includes(XSS) || refused.body.includes('sk_test_'));
	t.is((await manager.post(`${credentials}/save`, stripe)).headers.location, `${credentials}/shop-1`);
	const shown = await manager.get(`${credentials}/shop-1`);
	t.false(shown.body.includes('sk_test_'));
	t.true(shown.body.includes('********'));
	t.is((await manager.post(`${credentials}/shop-1/remove`)).headers.location, PARTIES);
	t.is((await manager.post(`${credentials}/shop-1/remove`)).statusCode, 404);
});

test('a destination keeps its kind: a server for FTPS, or a bucket, whose secret key is never shown', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	const pin = `SHA256:${'A'.repeat(43)}`;
	const server = { name: 'bank', kind: 'ftps', host: 'ftps.example', userName: 'u', certificates: pin, password: 'p' };
	t.is((await manager.post(`${PARTIES}/destinations/save`, server)).statusCode, 303);
	const bank = await manager.get(`${PARTIES}/destinations/bank`);
	t.regex(bank.body, /ftps\.example:21/);
	t.regex(bank.body, /<option value="ftps" selected>FTPS<\/option>/);
	t.true(bank.body.includes(`value="${pin}"`), 'the form has what is stored');
	const bucket = { name: 'feeds', kind: 's3', bucket: 'visa-feeds', region: 'eu-central-1', accessKeyId: 'AKTEST' };
	const save = (more: object) => manager.post(`${PARTIES}/destinations/save`, { ...bucket, ...more });
	const refused = await save({ secretKey: 'hunter2-secret', host: 'sftp.example', bucket: 'A' });
	t.is(refused.statusCode, 400);
	t.regex(refused.body, /host: only for kinds sftp and ftps/);
	t.regex(refused.body, /bucket: expected 3 to 63 small letters/);
	t.regex((await save({})).body, /s3 needs a secretKey/);
	t.is((await save({ secretKey: 'hunter2-secret', host: '', folder: '' })).statusCode, 303);
	const shown = await manager.get(`${PARTIES}/destinations/feeds`);
	t.regex(shown.body, /https:\/\/s3\.eu-central-1\.amazonaws\.com\/visa-feeds/);
	t.regex((await manager.get(PARTIES)).body, /visa-feeds/);
	for (const { body } of [refused, shown, await manager.get(PARTIES)]) t.notRegex(body, /hunter2/);
	t.false(JSON.stringify(await parts.database.knex('audit')).includes('hunter2'));
});

test('roles and other accounts may not see or change what is not theirs', async (t) => {
	const parts = await openPortalApp(t);
	const [manager, clerk] = [await parts.signIn('manager'), await parts.signIn('clerk')];
	const stranger = await parts.signIn('manager', { account: 'other' });
	await manager.post(`${PROFILES}/save`, { name: '', version: '0', text: TEXT });
	const destination = { name: 'bank', host: 'sftp.example', userName: 'u', password: 'hunter2-secret' };
	await manager.post(`${PARTIES}/destinations/save`, destination);
	await manager.post(`${PARTIES}/credentials/save`, { gateway: 'Sandbox', id: 'shop-1' });
	const seen = ['profiles/Pms', 'destinations/bank', 'credentials/shop-1'];
	const changes = [...seen.map((path) => `${path}/remove`), 'destinations/bank/check'];
	for (const path of seen) {
		t.is((await manager.get(`${PARTIES}/${path}`)).statusCode, 200, path);
		t.is((await stranger.get(`${PARTIES}/${path}`)).statusCode, 404, path);
		t.false((await clerk.get(`${PARTIES}/${path}`)).body.includes('/remove"'), path);
	}
	for (const path of changes) {
		t.is((await stranger.post(`${PARTIES}/${path}`)).statusCode, 404, path);
		t.is((await clerk.post(`${PARTIES}/${path}`)).statusCode, 403, path);
	}
	for (const path of ['new-profile', 'new-destination', 'new-credentials?gateway=Sandbox', 'profiles/Pms/remove'])
		t.is((await clerk.get(`${PARTIES}/${path}`)).statusCode, 403, path);
	for (const path of ['profiles/save', 'profiles/try', 'destinations/save', 'credentials/save'])
		t.is((await clerk.post(`${PARTIES}/${path}`)).statusCode, 403, path);
	const { body } = await stranger.get(PARTIES);
	for (const text of [...seen, 'sftp.example']) t.false(body.includes(text), text);
});
