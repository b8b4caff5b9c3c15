// Lets people in who come by an OpenID provider. Who somebody is here is decided by issuer and subject alone: they are
// linked to a user by an invitation, or by a rule that creates people of a group. A mail address links nobody.

import { isUniqueViolation } from '../../../base/database/dialect.ts';
import type { Client } from '../client.ts';
import type { PortalOptions } from '../options.ts';
import type { Entry } from '../sign-in/entry.ts';
import type { LinkRows } from '../sign-in/links.ts';
import { type LoginAnswer, PROOF_MS } from '../sign-in/login.ts';
import { sessionStore } from '../sign-in/session-store.ts';
import { endSessions } from '../sign-in/sessions.ts';
import type { PortalUserRow } from '../user-store.ts';
import type { UserRows } from '../users.ts';
import type { Viewer } from '../viewer.ts';
import type { Identities } from './identities.ts';
import { hashAtProvider } from './identity-store.ts';
import { type PendingSignIn, type ProvenPerson, SignInError } from './provider.ts';
import type { OpenedProvider } from './providers.ts';

/** A provider as pages show it. */
export interface ShownProvider {
	readonly name: string;
	readonly label: string;
}

export type CameByProvider =
	| LoginAnswer
	/** The provider knows the person, but nobody here does, and no rule creates them. */
	| { readonly state: 'stranger' }
	/** The person is linked to another user already. */
	| { readonly state: 'taken' };

/** The answer of a provider, with what was kept until it came. */
export interface ProviderAnswer {
	readonly query: URLSearchParams;
	readonly pending: PendingSignIn;
}

interface SignOnParts {
	readonly users: UserRows;
	readonly links: LinkRows;
	readonly entry: Entry;
	readonly identities: Identities;
}

export function openSingleSignOn(options: PortalOptions, { users, links, entry, identities }: SignOnParts) {
	const { database, keyRing, audit, clock, onFailed, settings, providers } = options;
	const now = () => clock.now().getTime();
	const find = (name: string) => providers?.find(name);
	const shown = ({ declared: { name, label } }: OpenedProvider): ShownProvider => ({ name, label });

	const failed = ({ address }: Client, reason: string) => {
		if (address !== undefined)
			onFailed?.({ address, way: 'provider', reason: `portal: ${reason}`, account: undefined, userId: undefined });
	};
	/** Returns who came back, or undefined after a note if the answer is not one that the provider gave to us. */
	const personIn = async (provider: OpenedProvider, { query, pending }: ProviderAnswer, client: Client) => {
		try {
			return await provider.finish(query, pending);
		} catch (error) {
			if (!(error instanceof SignInError)) throw error;
			failed(client, error.problem);
			return undefined;
		}
	};
	/** Returns when a person proved who they are, as far as it matters: long ago, or within the time of a proof. */
	const provenAtOf = ({ provenAtMs = 0 }: ProvenPerson) => Math.min(now(), Math.max(provenAtMs, now() - PROOF_MS));
	const visitBy = ({ declared }: OpenedProvider, { issuer, session }: ProvenPerson) => ({
		provider: declared.name,
		session: session === undefined ? null : hashAtProvider(issuer, session),
		endsAtMs: now() + settings.providerMs,
	});
	const letIn = (user: PortalUserRow, provider: OpenedProvider, person: ProvenPerson, client: Client) => {
		const visit = visitBy(provider, person);
		const { hasSecondFactor } = person;
		if (!hasSecondFactor && user.has_factor) return entry.askFactor(user, client, visit);
		return entry.letIn(user, client, { way: 'provider', hasSecondFactor, visit, provenAtMs: provenAtOf(person) });
	};
	const end = async (provider: OpenedProvider, userId: number, which: { readonly only?: string }) => {
		const { name } = provider.declared;
		const user = await users.findById(userId);
		const nowhere = { address: undefined, agent: undefined };
		const actor = user ? { ...(await entry.actorIn(user, nowhere)), credential: `provider ${name}` } : 'daemon';
		await keyRing.seals.transact(database, async (transaction, sealer) => {
			const sessions = await endSessions(transaction, sealer, userId, { ...which, by: name });
			if (sessions === 0) return;
			const details = { sessions, isOwn: false, provider: name };
			const subject = `portal-user ${userId}`;
			await audit.record({ actor, action: 'portal.session-end', subject, details }, transaction);
		});
	};
	const endSession = async (provider: OpenedProvider, session: string) => {
		const hash = hashAtProvider(provider.declared.issuer, session);
		for (const row of await sessionStore(database.knex).listByProvider(hash))
			await end(provider, row.user_id, { only: row.id });
	};

	return {
		list: () => (providers?.list() ?? []).map(shown),
		async listOf(userId: number): Promise<readonly ShownProvider[]> {
			const issuers = new Set(await identities.issuersOf(userId));
			return (providers?.list() ?? []).filter(({ declared }) => issuers.has(declared.issuer)).map(shown);
		},
		/**
		 * Begins a visit to a provider; undefined if there is none of this name.
		 * @throws SignInError if the provider cannot be reached
		 */
		begin: async (name: string, asked?: { readonly isFresh?: boolean }) => find(name)?.begin(asked),
		/** Lets somebody in who has come back from a provider. None of these three throws for a wrong answer. */
		async enter(name: string, answer: ProviderAnswer, client: Client): Promise<CameByProvider> {
			const provider = find(name);
			const person = provider && (await personIn(provider, answer, client));
			if (!person) return { state: 'refused' };
			const known = await identities.find(person);
			if (!known) {
				const linked = await identities.linkFromDirectory(provider.declared, person, client);
				const created = linked ?? (await identities.create(provider.declared, person, client));
				if (created && (await entry.mayEnter(created))) return letIn(created, provider, person, client);
				failed(client, 'unknown at this installation');
				return { state: 'stranger' };
			}
			const user = await users.findById(known.user_id);
			const tried = { name: user?.name ?? '', secret: '', way: 'provider' } as const;
			if (!user || !(await entry.mayEnter(user))) return entry.failed(user, tried, client, 'blocked');
			const current = await identities.follow(provider.declared, person, { user, row: known }, client);
			return current ? letIn(current, provider, person, client) : entry.failed(user, tried, client, 'blocked');
		},
		/** Links somebody who has come back from a provider to the user for whom a link was made, and lets them in. */
		async enterByLink(name: string, answer: ProviderAnswer, secret: string, client: Client): Promise<CameByProvider> {
			const provider = find(name);
			const found = await links.find(secret);
			if (!provider || !found || !(await entry.mayEnter(found.user))) return { state: 'refused' };
			const person = await personIn(provider, answer, client);
			if (!person) return { state: 'refused' };
			try {
				const { issuer, subject } = person;
				const user = await links.use(found, await entry.actorIn(found.user, client), {
					action: 'portal-user.provider',
					details: { provider: name, issuer, subject },
					change: {},
					work: (transaction, sealer) => identities.link(transaction, sealer, { person, user: found.user, role: null }),
				});
				return user ? letIn(user, provider, person, client) : { state: 'refused' };
			} catch (error) {
				if (!isUniqueViolation(error)) throw error;
				return { state: 'taken' };
			}
		},
		/** Confirms that somebody who is signed in has just proven to a provider who they are. */
		async confirm(viewer: Viewer, name: string, answer: ProviderAnswer, client: Client): Promise<LoginAnswer> {
			const provider = find(name);
			const person = provider && (await personIn(provider, answer, client));
			const known = person && (await identities.find(person));
			const isThem = known?.user_id === viewer.user.id;
			if (!isThem || now() - provenAtOf(person!) >= PROOF_MS) return { state: 'refused' };
			return entry.confirm(viewer, client, {
				way: 'provider',
				hasSecondFactor: viewer.session.hasSecondFactor || person!.hasSecondFactor,
				visit: viewer.session.visit && visitBy(provider!, person!),
				provenAtMs: provenAtOf(person!),
			});
		},
		/** Returns the address at which a person leaves a provider; undefined if the provider has none. */
		leave: async (name: string, returnTo: string) => find(name)?.logoutUrl(returnTo),
		/** Ends the sessions that belong to a session which the provider names as ended; the browser of the person says so. */
		async endedInBrowser(name: string, issuer: string, session: string): Promise<void> {
			const provider = find(name);
			if (provider?.declared.issuer === issuer) await endSession(provider, session);
		},
		/**
		 * Ends the sessions of whom the provider names in a logout token.
		 * @throws SignInError if the token is not valid
		 */
		async endedByToken(name: string, token: string): Promise<void> {
			const provider = find(name);
			if (!provider) throw new SignInError('answer-not-valid');
			const { issuer, subject, session } = await provider.readLogoutToken(token);
			if (session !== undefined) return endSession(provider, session);
			const known = await identities.find({ issuer, subject: subject! });
			if (known) await end(provider, known.user_id, {});
		},
	};
}
