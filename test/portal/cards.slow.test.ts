// Tests cards in the portal: they are searched, shown without their number, and changed and deleted by those who may.

import test, { type ExecutionContext } from 'ava';
import { storeCard, VISA } from '../helpers/card-calls.ts';
import type { HttpAppOptions } from '../helpers/http-app.ts';
import { openPortalApp, type PortalApp, type SignedIn } from '../helpers/portal-app.ts';

const MASTERCARD = '5555555555554444';
const XSS = '"><img src=x onerror=alert(1)><script>alert(2)</script>';

/** Opens an account with two cards, and signs in a clerk, a viewer and a manager of it. */
async function open(t: ExecutionContext, options?: HttpAppOptions) {
	const parts = await openPortalApp(t, 'sqlite', options);
	const manager = await parts.signIn('manager');
	const [clerk, viewer] = [await parts.signIn('clerk'), await parts.signIn('viewer')];
	const caller = manager.caller!;
	await parts.identity.changes.setCvvRetention(caller.account, 'operator test', true);
	for (const { viewer } of [manager, clerk]) Object.assign(viewer.principal!, { cvvRetention: true });
	const visa = await storeCard(caller, '?ref=booking-7', { CVV: '306', OwnerID: 'guest-1', NameOnCard: XSS });
	parts.clock.turn(1000);
	const mastercard = await storeCard(caller, '', { Number: MASTERCARD, Type: 'MasterCard' });
	return { parts, manager, clerk, viewer, caller, visa, mastercard };
}

const has = (body: string, token: string) => body.includes(`/portal/cards/${token}"`);
const actions = async ({ database }: PortalApp, action: string) =>
	(await database.knex('audit').where({ action }).orderBy('seq')) as { subject: string; details: string }[];

test('cards are found by reference, last four digits, date and user, without their numbers', async (t) => {
	const { parts, viewer, visa, mastercard } = await open(t);
	const today = parts.clock.now().toISOString().slice(0, 10);
	const found = async (query: string) => {
		const { statusCode, body } = await viewer.get(`/portal/cards?${query}`);
		t.is(statusCode, 200);
		t.false(body.includes(VISA) || body.includes(MASTERCARD));
		return [has(body, visa), has(body, mastercard)];
	};
	t.deepEqual(await found(''), [true, true]);
	t.deepEqual(await found('last4=1111'), [true, false]);
	t.deepEqual(await found('last4=4444'), [false, true]);
	t.deepEqual(await found('reference=booking-7'), [true, false]);
	t.deepEqual(await found('reference=booking-7&last4=4444'), [false, false]);
	t.deepEqual(await found(`since=${today}&until=${today}&user=agency`), [true, true]);
	t.deepEqual(await found('since=2030-01-01'), [false, false]);
	t.deepEqual(await found('until=2020-01-01'), [false, false]);
	const { body } = await viewer.get('/portal/cards');
	t.true(body.indexOf(mastercard) < body.indexOf(visa), 'newest first');
});

test('all cards that fit are had as a file, beyond one page and one batch, and no cell begins a formula', async (t) => {
	const { viewer, caller, visa } = await open(t);
	const rows = '4111111111111111,12,2030,=1+1\n'.repeat(1_100);
	const sent = { payload: `CardNumber,ExpirationMonth,ExpirationYear,Reference\n${rows}` };
	t.is((await caller.inject('POST', '/api/files/tokenize?filter=SIMPLECSV', sent)).statusCode, 200);
	const { body } = await viewer.get('/portal/cards?last4=1111');
	t.regex(body, /href="\/portal\/cards\/csv\?last4=1111" data-whole>Export as CSV</);
	const linesOf = async (query: string) => (await viewer.get(`/portal/cards/csv${query}`)).body.trimEnd().split('\r\n');
	const [head, ...lines] = await linesOf('?last4=1111');
	t.is(head, 'token,firstSix,lastFour,type,expiry,reference,storedAt,by');
	t.is(lines.length, 1_101);
	t.is(new Set(lines.map((line) => line.split(',')[0])).size, 1_101);
	t.regex(lines.at(-1)!, new RegExp(`^${visa},411111,1111,Visa,04/2030,booking-7,[^,]+Z,agency$`));
	t.is((await linesOf('')).length, 1_103, 'with the card of another number');
	t.false(lines.join().includes(VISA));
	for (const line of lines) t.notRegex(line, /(?:^|,)[=+@-]/);
	const formulas = await linesOf(`?reference=${encodeURIComponent('=1+1')}`);
	t.is(formulas.length, 1_101);
	t.true(formulas.at(-1)!.includes(",'=1+1,"));
	t.is((await viewer.get('/portal/cards/csv?last4=12')).headers['content-type'], 'text/html; charset=utf-8');
});

test('what is typed wrong is said at its field, and a number is not written back', async (t) => {
	const { parts, viewer } = await open(t);
	await parts.signIn('manager', { account: 'other' });
	const said = async (query: string) => (await viewer.get(`/portal/cards?${query}`)).body;
	t.regex(await said('last4=12'), /exactly four digits/);
	t.regex(await said('since=2026-02-31'), /Type a date/);
	t.regex(await said('user=other'), /no user with this ID/);
	const body = await said(`reference=${VISA}`);
	t.regex(body, /looks like a whole card number/);
	t.false(body.includes(`value="${VISA}"`));
	t.is((await viewer.get('/portal/cards?after=zzzz&last4=1111')).statusCode, 200);
});

test('a search is posted, and gets into the address only without a card number', async (t) => {
	const { viewer } = await open(t);
	for (const path of ['/portal/cards', '/portal/files/tokenize/CSV'])
		t.regex((await viewer.get(path)).body, /<form method="post" action="[^"]*" class="search"/, path);
	const found = await viewer.post('/portal/cards', { reference: 'order 1', last4: '' });
	t.is(found.statusCode, 303);
	t.is(found.headers.location, '/portal/cards?reference=order+1');
	t.is((await viewer.post('/portal/cards')).headers.location, '/portal/cards');
	const folder = await viewer.post('/portal/files/tokenize/CSV', { from: 'may' });
	t.is(folder.headers.location, '/portal/files/tokenize/CSV?from=may');
	for (const [path, name] of [
		['/portal/cards', 'reference'],
		['/portal/cards', 'last4'],
		['/portal/files/tokenize/CSV', 'from'],
	]) {
		for (const typed of [VISA, '4111 1111-1111 1111']) {
			const refused = await viewer.post(path, { [name]: typed });
			t.is(refused.statusCode, 400);
			t.is(refused.headers.location, undefined);
			t.regex(refused.body, /looks like a (whole )?card number/);
			t.false(refused.body.includes(typed));
		}
	}
});

test('long lists have pages, each card once', async (t) => {
	const { viewer, caller } = await open(t);
	for (let n = 0; n < 26; n++) await storeCard(caller);
	const seen: string[] = [];
	let path: string | undefined = '/portal/cards';
	let pages = 0;
	for (; path; pages++) {
		const { body } = await viewer.get(path);
		seen.push(...[...body.matchAll(/href="\/portal\/cards\/([0-9a-f]{32})"/g)].map(([, token]) => token));
		path = [...body.matchAll(/href="(\/portal\/cards\?[^"]*after=[^"]*)"/g)].at(-1)?.[1].replaceAll('&amp;', '&');
	}
	t.is(pages, 2);
	t.is(seen.length, 28);
	t.is(new Set(seen).size, 28);
});

test('cards under a reference are all listed, the newest first, forward and back, with how many there are', async (t) => {
	const { viewer, caller, visa } = await open(t);
	const rows = '4111111111111111,12,2030,many\n'.repeat(60);
	const sent = { payload: `CardNumber,ExpirationMonth,ExpirationYear,Reference\n${rows}` };
	t.is((await caller.inject('POST', '/api/files/tokenize?filter=SIMPLECSV', sent)).statusCode, 200);
	const tokensOf = (body: string) =>
		[...body.matchAll(/href="\/portal\/cards\/([0-9a-f]{32})"/g)].map(([, token]) => token);
	for (const [query, cards] of [
		['reference=many', 60],
		['', 62],
	] as const) {
		const walk = async (from: string, text: string) => {
			const pages: string[][] = [];
			for (let path: string | undefined = from; path; ) {
				const { body } = await viewer.get(path);
				t.regex(body, new RegExp(`>${cards} found\\.<`));
				pages.push(tokensOf(body));
				from = path;
				path = new RegExp(`href="([^"]+)"[^>]*>${text}<`).exec(body)?.[1].replaceAll('&amp;', '&');
			}
			return { pages, last: from };
		};
		const forward = await walk(`/portal/cards?${query}`, 'Next page');
		t.is(forward.pages.length, 3);
		t.is(new Set(forward.pages.flat()).size, cards);
		t.is(forward.pages.flat().includes(visa), query === '');
		const back = await walk(forward.last, 'Previous page');
		t.deepEqual(back.pages.reverse(), forward.pages);
	}
	t.notRegex(
		(await viewer.get('/portal/cards?last4=1111')).body,
		/\d found\./,
		'nobody knows how many end in these digits',
	);
});

test('cards are found by the account that they are shared with, and by no other, as over HTTP', async (t) => {
	const { parts, clerk, visa, mastercard } = await open(t);
	await parts.signIn('manager', { account: 'hotel' });
	await parts.signIn('manager', { account: 'stranger' });
	t.is((await clerk.post(`/portal/cards/${visa}/associate`, { merchantId: 'hotel' })).statusCode, 303);
	const { body } = await clerk.get('/portal/cards?merchant=hotel');
	t.deepEqual([has(body, visa), has(body, mastercard)], [true, false]);
	t.regex(body, />1 found\.</);
	const file = (await clerk.get('/portal/cards/csv?merchant=hotel')).body.trimEnd().split('\r\n');
	t.deepEqual(
		file.slice(1).map((line) => line.split(',')[0]),
		[visa],
	);
	const refused = await Promise.all(
		['stranger', 'nobody'].map(async (merchant) => (await clerk.get(`/portal/cards?merchant=${merchant}`)).body),
	);
	for (const each of refused) {
		t.regex(each, /No other account with this ID may use cards of yours\./);
		t.false(has(each, visa) || has(each, mastercard));
	}
	const shown = refused.map((each) => /<main.*<\/main>/s.exec(each)![0].replaceAll(/name="_csrf" value="[^"]*"/g, ''));
	t.is(shown[0].replaceAll('stranger', 'nobody'), shown[1], 'nobody learns which accounts exist');
});

test('the page of a card shows what is known of it, and never the number', async (t) => {
	const { parts, viewer, manager, visa, caller } = await open(t);
	await parts.identity.accounts.setCardsRetention(caller.account.userId, 30, 'operator test');
	const { body } = await viewer.get(`/portal/cards/${visa}`);
	for (const text of ['411111…1111', '04/2030', 'booking-7', 'agency', 'Visa']) t.true(body.includes(text), text);
	t.false(body.includes(VISA));
	t.false(body.includes('<img src=x'));
	t.false(body.includes('displaycard'), 'a viewer may see no number');
	t.true((await manager.get(`/portal/cards/${visa}`)).body.includes(`/api/payments/displaycard/${visa}`));
	t.regex(body, /<dt>Kept until<\/dt><dd><time datetime="2026-12/);
});

test('a card is shared with another account and taken back, which the trail shows with the user', async (t) => {
	const { parts, clerk, visa } = await open(t);
	const other = await parts.signIn('manager', { account: 'hotel' });
	t.is((await other.get(`/portal/cards/${visa}`)).statusCode, 404);
	const refused = await clerk.post(`/portal/cards/${visa}/associate`, { merchantId: 'nobody' });
	t.is(refused.statusCode, 400);
	t.regex(refused.body, /expected the user ID of an active primary account/);
	const done = await clerk.post(`/portal/cards/${visa}/associate`, { merchantId: 'hotel' });
	t.is(done.headers.location, `/portal/cards/${visa}`);
	const shared = await other.get(`/portal/cards/${visa}`);
	t.is(shared.statusCode, 200);
	t.false(shared.body.includes('/delete'), 'only the owner deletes');
	t.is((await clerk.post(`/portal/cards/${visa}/dissociate`, { merchantId: 'hotel' })).statusCode, 303);
	t.is((await other.get(`/portal/cards/${visa}`)).statusCode, 404);
	const [entry] = await actions(parts, 'card.associate');
	t.is(entry.subject, `token ${visa}`);
	t.true(JSON.stringify(entry).includes(`portal-user ${clerk.viewer.user.id}`));
});

test('without a second factor a clerk or manager gives no card away and takes none back, and is told how', async (t) => {
	const { parts, clerk, visa } = await open(t);
	await parts.signIn('manager', { account: 'hotel' });
	t.is((await clerk.post(`/portal/cards/${visa}/associate`, { merchantId: 'hotel' })).statusCode, 303);
	for (const role of ['clerk', 'manager'] as const) {
		const weak = await parts.signIn(role, { hasSecondFactor: false });
		t.false(weak.viewer.principal!.permissions.has('Associate'));
		const { body } = await weak.get(`/portal/cards/${visa}`);
		t.regex(body, /sign in with a second factor/);
		for (const change of ['associate', 'dissociate']) {
			t.false(body.includes(`/${change}"`));
			t.is((await weak.post(`/portal/cards/${visa}/${change}`, { merchantId: 'hotel' })).statusCode, 403);
		}
	}
	t.is((await parts.database.knex('associations')).length, 1);
	t.is((await actions(parts, 'card.associate')).length, 1);
});

test('the CVV policy is changed within its limits, and the CVV destroyed', async (t) => {
	const { parts, clerk, manager, visa } = await open(t);
	const path = `/portal/cards/${visa}/cvv`;
	const policy = async () => {
		const place = await parts.vault.find(clerk.viewer.principal!.ownerId, visa as never);
		return parts.vault.cvvs.findPolicy(place!);
	};
	t.is((await clerk.post(`${path}/allow`, { type: 'HostName', data: 'partner.example', quota: '2' })).statusCode, 303);
	t.like((await policy())?.destinations[0], { type: 'HostName', data: 'partner.example', quota: 2 });
	t.is((await clerk.post(`${path}/allow`, { type: 'HostName', data: VISA, quota: '2' })).statusCode, 400);
	t.is((await clerk.post(`${path}/allow`, { type: 'HostName', data: 'a.example', quota: '0' })).statusCode, 400);
	t.is((await clerk.post(`${path}/policy`, { CvvEndRetentionDate: '2020-01-01' })).statusCode, 400);
	await clerk.post(`${path}/policy`, { CvvEndRetentionDate: '2026-12-24', DeleteCardUponCvvCleanup: 'true' });
	t.like(await policy(), { deletesCard: false }, 'a clerk may not delete cards');
	await manager.post(`${path}/policy`, { CvvEndRetentionDate: '2026-12-24', DeleteCardUponCvvCleanup: 'true' });
	t.is((await policy())?.endsAt.toISOString().slice(0, 10), '2026-12-24');
	t.like(await policy(), { deletesCard: true });
	t.is((await clerk.post(`${path}/clear`)).statusCode, 400, 'this would delete the card');
	const sooner = await clerk.post(`${path}/policy`, { CvvEndRetentionDate: '2026-12-01' });
	t.is(sooner.statusCode, 400, 'this would delete the card sooner');
	t.is((await policy())?.endsAt.toISOString().slice(0, 10), '2026-12-24');
	t.is((await clerk.post(`${path}/remove`, { type: 'HostName', data: 'partner.example' })).statusCode, 303);
	t.is((await clerk.post(`${path}/clear`)).statusCode, 303);
	t.is(await policy(), undefined);
	t.is((await actions(parts, 'cvv.clear')).length, 1);
});

test('the CVV of a card is asked for by a request of its own', async (t) => {
	const { parts, clerk, mastercard } = await open(t);
	const path = `/portal/requests/new?card=${mastercard}`;
	t.true((await clerk.get(`/portal/cards/${mastercard}`)).body.includes(`href="${path}"`));
	t.regex((await clerk.get(path)).body, /…4444/);
	const made = await clerk.post('/portal/requests/new', { card: mastercard });
	t.is(made.statusCode, 200);
	const { ownerId } = clerk.viewer.principal!;
	const [request] = await parts.cardRequests.list({ ownerId }, {}, { limit: 1 });
	t.like(request, { kind: 'cvv', cardToken: mastercard });
	const stranger = await parts.signIn('manager', { account: 'other' });
	t.is((await stranger.get(path)).statusCode, 404);
	t.is((await stranger.post('/portal/requests/new', { card: mastercard })).statusCode, 404);
});

test('a card is deleted once, after a question, by those who may', async (t) => {
	const { parts, manager, clerk, visa } = await open(t);
	const path = `/portal/cards/${visa}/delete`;
	t.is((await clerk.get(path)).statusCode, 403);
	t.is((await clerk.post(path)).statusCode, 403);
	t.regex((await manager.get(path)).body, /cannot be undone/);
	t.is((await manager.post(path)).headers.location, '/portal/cards');
	t.is((await manager.post(path)).statusCode, 404);
	t.is((await manager.get(`/portal/cards/${visa}`)).statusCode, 404);
	t.is((await actions(parts, 'card.delete')).length, 1);
});

test('roles and other accounts: each path is refused by the request too', async (t) => {
	const { parts, viewer, visa } = await open(t);
	const stranger = await parts.signIn('manager', { account: 'other' });
	const operator = await parts.signIn('operator');
	const changes = ['associate', 'dissociate', 'cvv/policy', 'cvv/allow', 'cvv/remove', 'cvv/clear', 'delete'];
	const form = { merchantId: 'other', type: 'HostName', data: 'a.example', quota: '1' };
	const status = async (person: SignedIn, name: string) =>
		(await person.post(`/portal/cards/${visa}/${name}`, form)).statusCode;
	for (const name of changes) {
		t.is(await status(viewer, name), 403, `viewer: ${name}`);
		t.is(await status(stranger, name), 404, `another account: ${name}`);
	}
	t.is((await stranger.get(`/portal/cards/${visa}`)).statusCode, 404);
	t.is((await stranger.get(`/portal/cards/${visa}/delete`)).statusCode, 404);
	for (const path of ['/portal/cards', `/portal/cards/${visa}`]) t.is((await operator.get(path)).statusCode, 403, path);
	t.is((await stranger.get('/portal/cards/nothing')).statusCode, 404);
	const { body } = await viewer.get(`/portal/cards/${visa}`);
	for (const name of changes) t.false(body.includes(`/${name}"`), `no button: ${name}`);
});

test('a card that is deleted while it is being shared is not there, and is shared with nobody', async (t) => {
	const { parts, manager, clerk, visa } = await open(t);
	await parts.signIn('manager', { account: 'hotel' });
	const { associate } = parts.vault;
	// At this point the form of the clerk has found the card. Now the manager deletes the card.
	parts.vault.associate = async (...order) => {
		parts.vault.associate = associate;
		t.is((await manager.post(`/portal/cards/${visa}/delete`)).statusCode, 303);
		return associate(...order);
	};
	const refused = await clerk.post(`/portal/cards/${visa}/associate`, { merchantId: 'hotel' });
	t.is(parts.vault.associate, associate, 'the card was deleted');
	t.is(refused.statusCode, 404);
	t.is(refused.headers.location, undefined);
	t.deepEqual(await parts.database.knex('associations'), []);
	t.deepEqual(await actions(parts, 'card.associate'), []);
});
