// Fills an installation with what a travel agency and its operators see on every page of the portal, and lists the pages.

import { ulidMaker } from '../../src/base/database/ulid.ts';
import { scoreStore } from '../../src/base/defender/score-store.ts';
import { whyColumns } from '../../src/base/failures.ts';
import { recordEvents } from '../../src/base/outbox/record-events.ts';
import { daemonStore } from '../../src/installation/daemons/daemon-store.ts';
import { scheduleStore } from '../../src/work/jobs/schedule-store.ts';
import { sendPiece } from '../portal/files.setup.ts';
import { storeCard, VISA } from './card-calls.ts';
import type { HttpAppOptions } from './http-app.ts';
import { runNextJob } from './http-jobs.ts';
import type { PortalApp, SignedIn } from './portal-app.ts';
import { fillStatistics } from './portal-numbers.ts';
import { pay } from './provider-payments.ts';
import { makeSshKeyLine } from './ssh-key-line.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const REFUSED =
	'name,cardnumber,expiry\nMARIE DUPONT,4111111111111111,12/30\nJOHN SMITH,4111111111111112,12/30\nANA LIMA,5555555555554444,01/20\n';
const GOOD = 'name,cardnumber,expiry\nMARIE DUPONT,4111111111111111,12/30\nJOHN SMITH,5555555555554444,11/31\n';
/** A profile of a third party. */
export const PROFILE = `name: Pms
description: Reservations of a hotel
direction: tokenize
body: json
targetUri: https://pms.example/api
cards:
  - number: $.card.number
    expiryMonth: $.card.month
    nameOnCard: $.guest.name
`;

/** Who looks at a page: somebody without a session, a manager, a manager of an account in which nothing was done, or an operator. */
export type Onlooker = 'nobody' | 'manager' | 'newcomer' | 'operator';

const EXCHANGE = '/srv/exchange';
/** What an installation needs for the scene: no TLS, because a browser looks at it, and a folder for its route. */
export const SCENE_INSTALLATION: HttpAppOptions = {
	folders: [EXCHANGE],
	settings: { baseUrl: 'http://vault.example' },
};

export interface ScenePage {
	readonly name: string;
	readonly path: string;
	readonly who: Onlooker;
}

export interface Scene {
	readonly pages: readonly ScenePage[];
	readonly people: Readonly<Record<Exclude<Onlooker, 'nobody'>, SignedIn>>;
}

/** Fills an installation, whose public URL is `base`. */
export async function openScene(parts: PortalApp, base: string): Promise<Scene> {
	const { clock, portal } = parts;
	const clerk = await parts.signIn('clerk', { account: 'paris-travel', name: 'ben@travel.example' });
	const files = await fillFiles(parts, clerk);
	const cards = await fillCards(parts, clerk, base);
	// These sign in last, because some pages are shown only shortly after somebody has signed in.
	const manager = await parts.signIn('manager', { account: 'paris-travel', name: 'mara@travel.example' });
	const newcomer = await parts.signIn('manager', { account: 'lyon-tours', name: 'noa@tours.example' });
	const operator = await parts.signIn('operator');
	await portal.own.beginApp(manager.viewer);
	const link = await portal.links.make(clerk.viewer.user.id, 'operator test');
	const enter = new URL(link.url.reveal()).pathname;
	const access = await fillAccess(manager);
	const event = await fillPlans(parts, manager);
	await fillInstallation(parts, manager);
	clock.turn(MINUTE_MS);
	const of = (who: Onlooker, paths: Readonly<Record<string, string>>) =>
		Object.entries(paths).map(([name, path]) => ({ name, path, who }));
	return {
		people: { manager, newcomer, operator },
		pages: [
			...of('nobody', {
				login: '/portal/login',
				forgotten: '/portal/forgotten',
				'login-passkey': '/portal/login/alone',
				enter,
				'enter-passkey': `${enter}/passkey`,
			}),
			...of('newcomer', {
				'overview-empty': '/portal',
				'files-empty': '/portal/files',
				'cards-empty': '/portal/cards',
			}),
			...of('manager', {
				overview: '/portal',
				files: '/portal/files',
				job: `/portal/jobs/${files.refused}`,
				'job-failed': `/portal/jobs/${files.failed}`,
				'job-remove': `/portal/jobs/${files.refused}/delete`,
				folder: '/portal/files/tokenized/CSV',
				'folder-remove': `/portal/files/tokenized/CSV/remove?name=${files.name}`,
				try: '/portal/try',
				folders: '/portal/folders',
				options: '/portal/folders/CSV',
				cards: '/portal/cards',
				card: `/portal/cards/${cards.token}`,
				'card-remove': `/portal/cards/${cards.token}/delete`,
				requests: '/portal/requests',
				'request-new': '/portal/requests/new',
				request: `/portal/requests/${cards.request}`,
				routes: '/portal/routes',
				route: '/portal/routes/nightly',
				'route-new': '/portal/new-route',
				'route-edit': '/portal/routes/nightly/edit',
				'route-runs': '/portal/routes/nightly/runs',
				'route-files': '/portal/routes/nightly/files',
				'route-remove': '/portal/routes/nightly/remove',
				events: '/portal/events',
				event: `/portal/events/${event}`,
				'endpoint-new': '/portal/new-event-endpoint',
				'mailbox-new': '/portal/new-event-mailbox',
				endpoint: '/portal/event-endpoints/crm',
				parties: '/portal/parties',
				profile: '/portal/parties/profiles/Pms',
				'profile-new': '/portal/parties/new-profile',
				'profile-remove': '/portal/parties/profiles/Pms/remove',
				preset: `/portal/parties/presets/${cards.preset}`,
				destination: '/portal/parties/destinations/bank',
				'destination-new': '/portal/parties/new-destination',
				credentials: '/portal/parties/credentials/shop-1',
				'credentials-new': '/portal/parties/new-credentials?gateway=Sandbox',
				payments: '/portal/payments',
				payment: `/portal/payments/${cards.payment}`,
				access: '/portal/access',
				'sub-users': '/portal/access/accounts',
				calls: '/portal/calls',
				'key-new': '/portal/access/keys/new',
				key: access.key,
				'ssh-new': '/portal/access/ssh/new',
				'sub-user': '/portal/access/of/paris-travel~hotel-1',
				people: '/portal/people',
				person: `/portal/people/${clerk.viewer.user.id}`,
				trail: '/portal/trail',
				find: '/portal/find?text=bookings',
				me: '/portal/me',
				app: '/portal/me/app',
				passkey: '/portal/me/passkey',
			}),
			...of('operator', {
				'all-accounts': '/portal',
				installation: '/portal/installation',
				...Object.fromEntries(
					['accounts', 'daemons', 'keys', 'audit', 'bans'].map((name) => [
						`installation-${name}`,
						`/portal/installation/${name}`,
					]),
				),
			}),
		],
	};
}

async function fillFiles(parts: PortalApp, clerk: SignedIn) {
	const { clock } = parts;
	const send = async (name: string, content: string, place = 'tokenize/CSV') => {
		clock.turn(7 * MINUTE_MS);
		const answer = await sendPiece(parts, clerk, content, { name, place });
		return String(answer.json().job);
	};
	const good = 'bookings-2026-11-20.csv';
	await send(good, GOOD);
	await runNextJob(parts);
	const refused = await send('bookings-hotel-lutetia-2026-11-21.csv', REFUSED);
	await runNextJob(parts);
	const failed = await send('statement.csv', 'nothing here is a table\n"');
	await runNextJob(parts);
	for (const name of ['november-agents.csv', 'november-corporate-travellers-and-events.csv']) {
		await send(name, GOOD);
		await runNextJob(parts);
	}
	await send('bookings-2026-11-21.csv', GOOD);
	return { refused, failed, name: good };
}

async function fillCards(parts: PortalApp, clerk: SignedIn, base: string) {
	const caller = clerk.caller!;
	let token = '';
	for (const [index, name] of ['MARIE DUPONT', 'JOHN SMITH', 'ANA LIMA', 'OLE HANSEN'].entries())
		token = await storeCard(caller, `?ref=booking-${7001 + index}`, { NameOnCard: name });
	const request = await parts.cardRequests.create(
		clerk.viewer.principal!,
		{ recipient: { name: 'Marie Dupont', email: 'marie@example.com' }, reference: 'booking-7005' },
		{ baseUrl: base },
	);
	const { ownerId: accountId, userId } = clerk.viewer.principal!;
	await parts.profiles.put(accountId, PROFILE);
	const destination = { name: 'bank', host: 'sftp.example', port: 22, userName: 'paris', folder: 'in', hostKeys: [] };
	await parts.destinations.put(
		{ accountId, userId },
		{ destination, secrets: { password: 'secret' } },
		'operator test',
	);
	await parts.gateway.credentials.put({ accountId, id: 'shop-1', actor: 'operator test' }, 'Sandbox', {});
	const card = { Number: VISA, ExpirationDate: { Month: '04', Year: '2030' } };
	for (const MyRef of ['booking-7001', 'booking-7002'])
		await pay(caller, { Card: card, MyRef, PaymentGateway: { Name: 'Sandbox' } });
	const { id: payment } = await parts.database.knex('gateway_attempts').first();
	const [preset] = parts.profiles.presets();
	return { token, request: request.id, payment, preset: preset.name };
}

async function fillAccess(manager: SignedIn) {
	await manager.post('/portal/access/ssh', { keys: makeSshKeyLine('nightly@travel.example'), from: '198.51.100.0/24' });
	await manager.post('/portal/access/origins', { origin: 'https://shop.travel.example' });
	await manager.post('/portal/access/accounts', { userId: 'hotel-1', kind: 'property' });
	const { body } = await manager.get('/portal/access');
	return { key: /href="(\/portal\/access\/keys\/\d+)"/.exec(body)![1] };
}

/** Makes a route that ran once, and somebody who is told of events. Returns one of these. */
async function fillPlans(parts: PortalApp, manager: SignedIn): Promise<string> {
	const { database, clock } = parts;
	await manager.post('/portal/new-route', {
		...{ name: 'nightly', from: `folder ${EXCHANGE}`, fromPath: 'out', operation: 'tokenize', filter: 'CSV' },
		...{ to: `folder ${EXCHANGE}`, toPath: 'in', when: 'daily', time: '02:30', zone: 'Europe/Paris', by: '06:00' },
		...{ fromDone: '{name}.done', afterwards: 'move', files: '*.csv' },
	});
	await manager.post('/portal/routes/nightly/run');
	const told = { name: 'crm', url: 'https://crm.travel.example/hook', 'type-job.failed': 'yes' };
	await manager.post('/portal/new-event-endpoint', told);
	const accountId = manager.viewer.account!.id;
	const event = { type: 'job.failed', accountId, about: 'job statement.csv', data: {} } as const;
	await database.knex.transaction((transaction) => recordEvents(transaction, [event], clock.now().getTime()));
	const { id } = await database.knex('events').first('id');
	const refused = { code: 'receiver-refused', parameters: { status: 503 } };
	await database
		.knex('event_deliveries')
		.where({ event_id: id })
		.update({ tries: 3, status: 503, ...whyColumns({ reason: 'the receiver answered 503', told: refused }) });
	await failRun(parts);
	return id;
}

/** Adds a run of the route of which a file was delivered and another one given up. */
async function failRun({ database: { knex }, clock }: PortalApp): Promise<void> {
	const { id: route_id, account_id } = await knex('routes').first('id', 'account_id');
	const at = clock.now().getTime() - DAY_MS;
	const run_id = ulidMaker()(at);
	const told = { code: 'header-missing' };
	const failed = whyColumns({ reason: 'the header names no column of cards (line 1)', told });
	await knex('route_runs').insert({
		...{ id: run_id, route_id, account_id, trigger: 'cron', state: 'partly', started_at: at, ended_at: at + 4_000 },
	});
	const files = [
		{ path: 'november.csv', size: 48_120, tries: 1, state: 'done', ...whyColumns(null) },
		{ path: 'november-2.csv', size: 2_310, tries: 1, state: 'dead', ...failed },
	];
	await knex('route_run_files').insert(
		files.map((file) => ({
			...file,
			run_id,
			...(file.state === 'done' && { state: 'delivered', cards: 120, refused: 2 }),
		})),
	);
	const seen = { route_id, run_id, modified_at: at, seen_at: at, ended_at: at + 4_000 };
	await knex('route_files').insert(files.map((file) => ({ ...file, ...seen })));
}

async function fillInstallation(parts: PortalApp, manager: SignedIn): Promise<void> {
	const { database, clock } = parts;
	const now = clock.now().getTime();
	await fillStatistics(database, manager.viewer.account!.id, now, 40);
	const fire = { task: 'retention', firesAt: now - MINUTE_MS, now: now - MINUTE_MS };
	await scheduleStore(database.knex).claim({ ...fire, daemonId: 'one' });
	await scheduleStore(database.knex).finish({ ...fire, outcome: 'failed' });
	const daemon = { id: 'one:4711', version: '0.1.0', knows: '0014-daemons.expand' };
	await daemonStore(database.knex).sign({ ...daemon, started_at: now - MINUTE_MS, seen_at: now });
	const report = { address: '192.0.2.7', points: 9, sinceMs: now, bannedUntilMs: now + 10 * MINUTE_MS };
	await scoreStore(database.knex).add('sftp', [report], { nowMs: now, windowMs: MINUTE_MS });
}
