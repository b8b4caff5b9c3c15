// Tells for every table whose rows can end how one of its rows grants something, and how it ends. Tests then put the
// row of before back into the database.

import { Secret as OtpSecret, TOTP } from 'otpauth';
import { hashOf } from '../../formats/plugins/scanner.ts';
import { Secret } from '../../src/base/settings/secret.ts';
import { parseSshPublicKey } from '../../src/people/identity/credentials/ssh-public-key.ts';
import { factorStore } from '../../src/people/portal-users/factors/factor-store.ts';
import { sealedPortalPasskeys } from '../../src/people/portal-users/sealed-rows.ts';
import { openFactorChecks } from '../../src/people/portal-users/second-factors.ts';
import { openIdentities } from '../../src/people/portal-users/sso/identities.ts';
import { userStore } from '../../src/people/portal-users/user-store.ts';
import { openUserRows } from '../../src/people/portal-users/users.ts';
import type { Token } from '../../src/vault/tokens/token.ts';
import { openEventEndpoints } from '../../src/work/events/endpoints.ts';
import { mergedOptions, putFormatOptions, removeFormatOptions } from '../../src/work/jobs/format-options.ts';
import { getSecretKey, openPgpKeys } from '../../src/work/pgp/pgp-keys.ts';
import { allowPlugin, pluginFormats, removePlugin } from '../../src/work/plugins/plugins.ts';
import { parseDestination } from '../../src/work/relay/partners/destination-document.ts';
import { REMEMBERED_FOR_MS } from '../../src/work/relay/profiles/profiles.ts';
import { openRoutes } from '../../src/work/routes/routes.ts';
import { json, storeCard } from './card-calls.ts';
import { TEST_BASE_URL } from './http-app.ts';
import { ownKey } from './messages.ts';
import type { PortalApp } from './portal-app.ts';
import { makeSshKeyLine } from './ssh-key-line.ts';
import { JSON_PROFILE } from './third-party.ts';
import { beginSession, sendCard } from './wallet-calls.ts';

export interface PutBackStory {
	/** Tells whether the row grants what it is there for. */
	works(): Promise<boolean>;
	/** Ends the row; undefined if `works` uses it up. */
	readonly end?: () => Promise<unknown>;
	/**
	 * The columns that somebody puts back, while the rest of the row stays as it is; the whole row if absent. The row then
	 * does not match its seal.
	 */
	readonly columns?: readonly string[];
	/** Makes a row of the same name again, which then works. */
	readonly again?: () => Promise<unknown>;
}

type Tell = (parts: PortalApp) => Promise<PutBackStory>;

const BY = 'operator test';
const PASSWORD = 'a long sentence of old';
const CLIENT = { address: '192.0.2.7', agent: 'test' };
const SHOP = 'https://shop.example';

/** Makes a user who has a password, and returns what sets it and what logs them in. */
async function withPassword({ portal, createCaller }: PortalApp) {
	const { account } = await createCaller('agency');
	const user = await portal.users.add({ name: 'anna', of: { accountId: account.id, role: 'clerk' } }, BY);
	const setPassword = async (password: string) => {
		const { url } = await portal.links.make(user.id, BY);
		return portal.login.byLink(url.reveal().split('/').at(-1)!, password, CLIENT);
	};
	await setPassword(PASSWORD);
	const works = async () => (await portal.login.byPassword('anna', PASSWORD, CLIENT)).state === 'in';
	return { user, setPassword, works };
}

/** Signs a clerk in who has an authenticator app, and returns what tells whether its codes are accepted. */
async function withApp(parts: PortalApp) {
	const { viewer } = await parts.signIn('clerk');
	const app = { secret: (await parts.portal.own.beginApp(viewer))!.secret };
	await parts.portal.own.confirmApp(viewer, codeOf(app.secret, parts), CLIENT);
	const checks = openFactorChecks(parts as unknown as Parameters<typeof openFactorChecks>[0]);
	const works = async () => {
		// Each code works once, so every try is of another half minute.
		parts.clock.turn(60_000);
		const user = (await userStore(parts.database.knex).findById(viewer.user.id))!;
		return checks.useAppCode(user, codeOf(app.secret, parts));
	};
	return { viewer, app, works };
}

/** Returns the code that an authenticator app shows now. */
function codeOf(secret: string, { clock }: PortalApp): string {
	return new TOTP({ secret: OtpSecret.fromBase32(secret) }).generate({ timestamp: clock.now().getTime() });
}

export const putBackStories: Readonly<Record<string, readonly Tell[]>> = {
	accounts: [
		async ({ createCaller, identity }) => {
			const { account, apiKey } = await createCaller('agency');
			return {
				works: async () => (await identity.authenticate({ kind: 'api-key', secret: apiKey })) !== null,
				end: () => identity.changes.disable(account, BY),
				again: () => identity.changes.enable(account, BY),
			};
		},
		async ({ createCaller, identity }) => {
			const { account, apiKey } = await createCaller('agency', { cvvRetention: true });
			return {
				works: async () => (await identity.authenticate({ kind: 'api-key', secret: apiKey }))?.cvvRetention ?? false,
				end: () => identity.changes.setCvvRetention(account, BY, false),
				again: () => identity.changes.setCvvRetention(account, BY, true),
			};
		},
	],
	api_keys: [
		async ({ createCaller, identity }) => {
			const { account, apiKey } = await createCaller('agency');
			return {
				works: async () => (await identity.authenticate({ kind: 'api-key', secret: apiKey })) !== null,
				end: () => identity.apiKeys.revoke(account, BY),
			};
		},
	],
	ssh_keys: [
		async ({ createCaller, identity }) => {
			const { account } = await createCaller('agency');
			const key = parseSshPublicKey(makeSshKeyLine('agency'));
			await identity.sshKeys.add(account, BY, key);
			return {
				works: async () => (await identity.sftpLogin.byPublicKey({ userName: 'agency', key: key.blob })) !== null,
				end: () => identity.sshKeys.remove(account, BY, key.fingerprint),
			};
		},
		async ({ createCaller, identity }) => {
			const { account } = await createCaller('agency');
			const key = parseSshPublicKey(makeSshKeyLine('agency'));
			await identity.sshKeys.add(account, BY, key, new Set(['FileTokenize', 'FileDetokenize']));
			return {
				async works() {
					const found = await identity.sftpLogin.byPublicKey({ userName: 'agency', key: key.blob });
					return found?.permissions.has('FileDetokenize') ?? false;
				},
				end: () => identity.changes.setPermissions(account, BY, new Set(['FileTokenize'])),
			};
		},
	],
	origins: [
		async ({ createCaller, identity }) => {
			const { account } = await createCaller('agency');
			await identity.origins.add('agency', SHOP, BY);
			return {
				works: () => identity.origins.allows(account.id, SHOP),
				end: () => identity.origins.remove('agency', SHOP, BY),
				again: () => identity.origins.add('agency', SHOP, BY),
			};
		},
	],
	format_options: [
		async (parts) => {
			const { account } = await parts.createCaller('agency');
			const scope = { accountId: account.id, filter: 'GBT' };
			const put = (options: object) => putFormatOptions(parts, scope, options, () => {});
			await put({ merchantId: 'former' });
			return {
				// Options that were put back stop the files of their folder, so that reading them throws.
				works: async () => (await mergedOptions(parts, scope).catch(() => undefined))?.merchantId === 'former',
				end: () => removeFormatOptions(parts, account.id, 'GBT'),
				again: () => put({ merchantId: 'former' }),
			};
		},
	],
	format_plugins: [
		async (parts) => {
			const source = "export default { filter: 'PROBE' };";
			const manifest = { filter: 'PROBE', title: 'A probe', tokenCase: 'lower', faults: [] } as const;
			const allow = () =>
				allowPlugin(parts, { source, sha256: hashOf(source), manifest: { ...manifest, faults: [] } }, BY);
			await allow();
			return {
				works: async () => (await pluginFormats(parts)).length === 1,
				end: () => removePlugin(parts, 'PROBE', BY),
				again: allow,
			};
		},
	],
	relay_profiles: [
		async ({ createCaller, profiles }) => {
			const { account } = await createCaller('agency');
			const put = (host: string) => profiles.put(account.id, `${JSON_PROFILE}hosts: [${host}]\n`);
			await put('former.example');
			return {
				async works() {
					const stored = await profiles.findStored(account.id, 'Partner');
					return stored?.profile.hosts?.includes('former.example') ?? false;
				},
				end: () => put('present.example'),
				again: () => put('former.example'),
			};
		},
		async ({ createCaller, profiles, clock }) => {
			const { account } = await createCaller('agency');
			const put = (key: string) =>
				profiles.put(account.id, `${JSON_PROFILE}hosts: [a.example]\nauthorization: Bearer ${key}\n`);
			await put('former');
			const works = async () => {
				clock.turn(REMEMBERED_FOR_MS);
				return (await profiles.find(account.id, 'Partner'))?.authorization === 'Bearer former';
			};
			return { works, end: () => put('present'), again: () => put('former'), columns: ['sealed', 'key_id'] };
		},
		async ({ createCaller, profiles }) => {
			const { account } = await createCaller('agency');
			await profiles.put(account.id, JSON_PROFILE);
			return {
				works: async () => (await profiles.findStored(account.id, 'Partner')) !== undefined,
				end: () => profiles.remove(account.id, 'Partner'),
				again: () => profiles.put(account.id, JSON_PROFILE),
			};
		},
	],
	destinations: [
		async ({ createCaller, destinations }) => {
			const accountId = (await createCaller('agency')).account.id;
			const owner = { accountId, userId: 'agency' };
			const put = (host: string) =>
				destinations.put(owner, parseDestination(`name: bank\nhost: ${host}\nuserName: a\npassword: p\n`), BY);
			await put('former.example');
			const works = async () => {
				const stored = await destinations.get(accountId, 'bank').catch(() => undefined);
				return stored?.kind === 'sftp' && stored.host === 'former.example';
			};
			return { works, end: () => put('present.example'), again: () => put('former.example') };
		},
		async ({ createCaller, destinations }) => {
			const accountId = (await createCaller('agency')).account.id;
			const owner = { accountId, userId: 'agency' };
			const put = (password: string) =>
				destinations.put(
					owner,
					parseDestination(`name: bank\nhost: a.example\nuserName: a\npassword: ${password}\n`),
					BY,
				);
			await put('former');
			const works = async () => {
				const found = await destinations.getPartner(accountId, 'bank').catch(() => undefined);
				return found?.partner.password?.reveal() === 'former';
			};
			return { works, end: () => put('present'), again: () => put('former'), columns: ['sealed', 'key_id'] };
		},
		async ({ createCaller, destinations }) => {
			const accountId = (await createCaller('agency')).account.id;
			const owner = { accountId, userId: 'agency' };
			const put = () =>
				destinations.put(owner, parseDestination('name: bank\nhost: a.example\nuserName: a\npassword: p\n'), BY);
			await put();
			const works = () =>
				destinations.get(accountId, 'bank').then(
					() => true,
					() => false,
				);
			return { works, end: () => destinations.remove(owner, 'bank', BY), again: put };
		},
	],
	pgp_keys: [
		async (parts) => {
			const accountId = (await parts.createCaller('agency')).account.id;
			const owner = { accountId, userId: 'agency' };
			const keys = openPgpKeys(parts);
			const put = async () => keys.put(owner, 'own', await ownKey(), BY);
			await put();
			const works = () =>
				getSecretKey(parts, accountId, 'own').then(
					() => true,
					() => false,
				);
			return { works, end: () => keys.revoke(owner, 'own', BY), again: put };
		},
	],
	event_endpoints: [
		async (parts) => {
			const accountId = (await parts.createCaller('agency')).account.id;
			const owner = { accountId, userId: 'agency' };
			const endpoints = openEventEndpoints(parts);
			const put = (host: string) => {
				const plan = { name: 'crm', url: `https://${host}/hooks`, types: undefined, signature: 'v1' as const };
				return endpoints.put(owner, plan, BY);
			};
			await put('former.example');
			const works = async () => {
				const found = await endpoints.get(accountId, 'crm').catch(() => undefined);
				return found?.target === 'https://former.example/hooks';
			};
			return { works, end: () => put('present.example'), again: () => put('former.example') };
		},
	],
	routes: [
		async (rooms) => {
			const accountId = (await rooms.createCaller('agency')).account.id;
			const owner = { accountId, ownerId: accountId, userId: 'agency' };
			const routes = openRoutes({ ...rooms, folders: [] });
			const put = async (folder: string) => {
				const document = { from: { drop: '/tokenized/GBT' }, do: { operation: 'none' }, to: { drop: folder } };
				await routes.put(owner, await routes.read(owner, JSON.stringify({ name: 'fan', ...document })), BY);
			};
			await put('/tokenized/AIR');
			const works = async () => {
				const found = await routes.get(accountId, 'fan').catch(() => undefined);
				return found?.route.to.place.kind === 'drop' && found.route.to.place.filter === 'AIR';
			};
			return { works, end: () => put('/tokenized/CSV'), again: () => put('/tokenized/AIR') };
		},
	],
	gateway_credentials: [
		async ({ createCaller, gateway }) => {
			const place = { accountId: (await createCaller('agency')).account.id, id: 'shop', actor: BY };
			const put = (key: string) => gateway.credentials.put(place, 'Stripe', { SecretKey: new Secret(key) });
			await put('former');
			const works = async () =>
				(await gateway.credentials.find(place.accountId, 'shop'))?.credentials.SecretKey?.reveal() === 'former';
			return { works, end: () => put('present'), again: () => put('former') };
		},
		async ({ createCaller, gateway }) => {
			const place = { accountId: (await createCaller('agency')).account.id, id: 'shop', actor: BY };
			const put = (key: string) => gateway.credentials.put(place, 'Stripe', { SecretKey: new Secret(key) });
			await put('former');
			const works = async () =>
				(await gateway.credentials.find(place.accountId, 'shop'))?.credentials.SecretKey?.reveal() === 'former';
			return { works, end: () => put('present'), again: () => put('former'), columns: ['sealed', 'key_id'] };
		},
		async ({ createCaller, gateway }) => {
			const place = { accountId: (await createCaller('agency')).account.id, id: 'shop', actor: BY };
			const put = () => gateway.credentials.put(place, 'Stripe', { SecretKey: new Secret('former') });
			await put();
			return {
				works: async () => (await gateway.credentials.list(place.accountId)).length > 0,
				end: () => gateway.credentials.remove(place),
				again: put,
			};
		},
	],
	wallet_sessions: [
		async (parts) => {
			const token = await beginSession(await parts.createCaller('agency'));
			let cards = 0;
			return {
				async works() {
					await sendCard(parts, token);
					const before = cards;
					const [{ live }] = await parts.database.knex('pages').sum({ live: 'live' });
					cards = Number(live ?? 0);
					return cards > before;
				},
			};
		},
	],
	card_requests: [
		async (parts) => {
			const hotel = await parts.createCaller('hotel');
			const made = (await hotel.inject('POST', '/api/cardrequest', json({ SenderID: 'hotel' }))).json();
			const secret = made.url.slice(`${TEST_BASE_URL}/cardrequest/`.length);
			return {
				works: async () => (await parts.cardRequests.open(secret)) !== undefined,
				end: () => hotel.inject('DELETE', `/api/cardrequest/${made.requestID}`),
			};
		},
	],
	card_views: [
		async (parts) => {
			const hotel = await parts.createCaller('hotel');
			const cardToken = (await storeCard(hotel)) as Token;
			const made = (await hotel.inject('POST', '/api/card-view-request/initView', json({ cardToken }))).json();
			const secret = made.url.slice(`${TEST_BASE_URL}/cardview/`.length);
			return { works: async () => (await parts.cardViews.showNumber(secret, made.code)).state === 'shown' };
		},
	],
	portal_users: [
		async (parts) => {
			const { user, works } = await withPassword(parts);
			return { works, end: () => parts.portal.users.remove(user.id, BY) };
		},
		async (parts) => {
			const { setPassword, works } = await withPassword(parts);
			return { works, end: () => setPassword('another long sentence'), again: () => setPassword(PASSWORD) };
		},
		async (parts) => {
			const { user, works } = await withPassword(parts);
			const { setBlocked } = parts.portal.users;
			return { works, end: () => setBlocked(user.id, true, BY), again: () => setBlocked(user.id, false, BY) };
		},
	],
	portal_links: [
		async (parts) => {
			const { account } = await parts.createCaller('agency');
			const of = { accountId: account.id, role: 'clerk' };
			const user = await parts.portal.users.add({ name: 'anna', of }, BY);
			const { url } = await parts.portal.links.make(user.id, BY);
			return {
				works: async () => (await parts.portal.login.findLink(url.reveal().split('/').at(-1)!)) !== undefined,
				end: () => parts.portal.links.make(user.id, BY),
			};
		},
	],
	portal_totp: [
		async (parts) => {
			const { viewer, app, works } = await withApp(parts);
			const { own, users } = parts.portal;
			const again = async () => {
				const { secret } = (await own.beginApp(viewer))!;
				app.secret = secret;
				await own.confirmApp(viewer, codeOf(secret, parts), CLIENT);
			};
			return { works, end: () => users.resetFactors(viewer.user.id, BY), again };
		},
		async (parts) => {
			const { viewer, works } = await withApp(parts);
			const { own, users } = parts.portal;
			const end = async () => {
				await users.resetFactors(viewer.user.id, BY);
				const next = (await own.beginApp(viewer))!;
				await own.confirmApp(viewer, codeOf(next.secret, parts), CLIENT);
			};
			return { works, end, columns: ['sealed', 'key_id'] };
		},
		async (parts) => {
			const { viewer } = await parts.signIn('clerk');
			const { own } = parts.portal;
			const { secret } = (await own.beginApp(viewer))!;
			return {
				// A set-up that was left unfinished shows its secret until the next one begins.
				works: async () => (await own.pendingApp(viewer))?.secret === secret,
				end: () => own.beginApp(viewer),
			};
		},
	],
	portal_passkeys: [
		async (parts) => {
			const { viewer } = await parts.signIn('clerk');
			const { database, keyRing } = parts;
			const row = {
				...{ user_id: viewer.user.id, account_id: viewer.account!.id, credential_id: 'a'.repeat(80) },
				...{ public_key: Buffer.from('a key'), label: 'phone', transports: '', counter: 0, used_at: null },
				created_at: parts.clock.now().getTime(),
			};
			await keyRing.seals.transact(database, (transaction, sealer) =>
				factorStore(transaction).insertPasskey({ ...row, ...sealer.seal(sealedPortalPasskeys, row) }),
			);
			return {
				works: async () => (await parts.portal.own.factors(viewer)).passkeys.length > 0,
				end: () => parts.portal.users.resetFactors(viewer.user.id, BY),
			};
		},
	],
	portal_recovery_codes: [
		async (parts) => {
			const { viewer } = await parts.signIn('clerk');
			const [code] = await parts.portal.own.makeRecoveryCodes(viewer);
			const user = (await userStore(parts.database.knex).findById(viewer.user.id))!;
			const checks = openFactorChecks(parts as unknown as Parameters<typeof openFactorChecks>[0]);
			return { works: () => checks.useRecoveryCode(user, code) };
		},
	],
	portal_identities: [
		async (parts) => {
			const { database, keyRing, portal } = parts;
			const { viewer } = await parts.signIn('clerk');
			const person = { issuer: 'https://login.example', subject: 'anna' };
			const user = { id: viewer.user.id, account_id: viewer.account!.id };
			const identities = openIdentities(parts as unknown as Parameters<typeof openIdentities>[0], {
				users: openUserRows(parts),
				people: portal.users,
				directory: portal.directory,
			});
			const link = () =>
				keyRing.seals.transact(database, (transaction, sealer) =>
					identities.link(transaction, sealer, { person, user, role: null }),
				);
			await link();
			return {
				works: async () => (await identities.find(person)) !== undefined,
				end: () => portal.users.reset(viewer.user.id, BY),
				again: link,
			};
		},
	],
	portal_directory: [
		async (parts) => {
			const { viewer } = await parts.signIn('clerk');
			const { directory } = parts.portal;
			const accountId = viewer.account!.id;
			const say = async (externalId: string) =>
				directory.change((await directory.find(accountId, viewer.user.id))!, { externalId }, BY);
			await say('former');
			return {
				works: async () => (await directory.list(accountId, { externalId: 'former' })).length > 0,
				end: () => say('present'),
				again: () => say('former'),
			};
		},
	],
	portal_groups: [
		async (parts) => {
			const { viewer } = await parts.signIn('clerk');
			const { groups } = parts.portal.directory;
			const group = await groups.add(viewer.account!.id, { name: 'former', externalId: null, members: [] }, BY);
			const rename = (name: string) => groups.change(group, (now) => ({ ...now, externalId: null, name }), BY);
			return {
				works: async () => (await groups.find(group.accountId, group.id))?.name === 'former',
				end: () => rename('present'),
				again: () => rename('former'),
			};
		},
		async (parts) => {
			const { viewer } = await parts.signIn('clerk');
			const { groups } = parts.portal.directory;
			const group = await groups.add(viewer.account!.id, { name: 'clerks', externalId: null, members: [] }, BY);
			return {
				works: async () => (await groups.find(group.accountId, group.id)) !== undefined,
				end: () => groups.remove(group, BY),
			};
		},
	],
	portal_memberships: [
		async (parts) => {
			const { viewer } = await parts.signIn('clerk');
			const { groups } = parts.portal.directory;
			const group = await groups.add(viewer.account!.id, { name: 'clerks', externalId: null, members: [] }, BY);
			const put = (...members: number[]) => groups.change(group, (now) => ({ ...now, externalId: null, members }), BY);
			await put(viewer.user.id);
			return {
				works: async () => (await groups.find(group.accountId, group.id))!.members.length > 0,
				end: () => put(),
				again: () => put(viewer.user.id),
			};
		},
	],
	portal_sessions: [
		async ({ signIn, portal }) => {
			const { viewer, cookie } = await signIn('clerk');
			const secret = cookie.slice(cookie.indexOf('=') + 1);
			return {
				works: async () => (await portal.sessions.find(secret, CLIENT.address)) !== undefined,
				end: () => portal.sessions.logOut(viewer),
			};
		},
	],
};
