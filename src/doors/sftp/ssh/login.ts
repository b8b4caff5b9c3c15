import { setTimeout as delay } from 'node:timers/promises';
import type { AuthContext, PublicKeyAuthContext } from 'ssh2';
import type { LoginGuard } from '../../../base/defender/login-guard.ts';
import { fingerprintOf } from '../../../base/ssh/fingerprint.ts';
import type { RefusedLogin, SftpIdentity } from '../identity.ts';
import { loggable, type SftpLogger } from '../session/loggable.ts';
import type { Outage } from '../session/outage.ts';
import { findSignatureAlgorithm, isAcceptableKey, isSignatureValid } from './signature.ts';

export interface LoginOptions<P> {
	readonly identity: SftpIdentity<P>;
	readonly address: string;
	readonly sessionId: string;
	readonly limits: { readonly maxLoginTries: number; readonly failedLoginDelayMs: number };
	readonly logger: SftpLogger;
	isClosed(): boolean;
	/** Takes a slot for the session, or returns false if none is free. It is called only for a valid login. */
	admit(userName: string, principal: P): Promise<boolean>;
	readonly outage?: Pick<Outage, 'begin' | 'end'>;
	/** Guards against guessed credentials. It is told of wrong ones, but not of refusals without the client's fault. */
	readonly logins: LoginGuard;
	/** This function is called if the credential is right but there is no slot for its session. */
	onTooManySessions(): void;
	onTooManyTries(): void;
	/** Called if the session has its slot but its login could not be recorded, so that it must be ended. */
	onNotNoted(): void;
}

/**
 * Holds the outcome of looking up a credential. If a key is known and its signature is missing or wrong, there is a
 * principal, but nothing is proven.
 */
interface Found<P> {
	readonly principal: P | null;
	readonly isProven: boolean;
	readonly isFault: boolean;
}

const methods: ('publickey' | 'password')[] = ['publickey', 'password'];
const maxUserNameBytes = 256;
// A client with many keys asks for each of them whether it would be accepted. To refuse such a key is not to refuse a
// login, but this answer too comes only after a short delay.
const refusedOfferDelayMs = 100;
const nothingFound = { principal: null, isProven: false };

/** The attempts of one connection to log in, one at a time. All refusals look the same and take the same time. */
export class Login<P> {
	readonly #options: LoginOptions<P>;
	#tries = 0;
	#offers = 0;

	constructor(options: LoginOptions<P>) {
		this.#options = options;
	}

	/** Answers one attempt. It never throws: a login that cannot be decided is refused. */
	async attempt(context: AuthContext): Promise<void> {
		const { failedLoginDelayMs } = this.#options.limits;
		if (context.method === 'none') return this.#offer(context, false, 0);
		const isOffer = context.method === 'publickey' && context.signature === undefined;
		const delayMs = isOffer ? Math.min(refusedOfferDelayMs, failedLoginDelayMs) : failedLoginDelayMs;
		// The delay starts before the look-up, so that the duration of the look-up does not show.
		const earliest = delay(delayMs);
		const { address, logins } = this.#options;
		const isShutOut = !logins.mayTry({ address, userName: context.username });
		const found = isShutOut ? { ...nothingFound, isFault: false } : await this.#identify(context);
		if (isOffer) {
			if (found.principal === null) await earliest;
			if (found.principal === null && !isShutOut && !found.isFault) this.#noteUnknownKey(context);
			return this.#offer(context, found.principal !== null, 1);
		}
		const principal = found.isProven ? found.principal : null;
		if (principal !== null && !this.#options.isClosed() && (await this.#options.admit(context.username, principal))) {
			return this.#letIn(context, principal);
		}
		await earliest;
		this.#refuse(context, isShutOut ? 'shut out' : reasonOf(found, principal), found);
	}

	/** A login is recorded before the session opens, so that every open session is in the audit trail. */
	async #letIn(context: AuthContext, principal: P): Promise<void> {
		const { identity, address, logger, sessionId } = this.#options;
		try {
			await identity.noteLogin({ principal, address });
		} catch (error) {
			logger.error({ session: sessionId, address, err: error }, 'sftp login could not be noted');
			return this.#options.onNotNoted();
		}
		this.#log(context, 'sftp login', {});
		this.#options.logins.succeeded({ address, userName: context.username });
		context.accept();
	}

	/** Answers a question that is not a login yet: which methods there are, or whether a key would be accepted. */
	#offer(context: AuthContext, isWelcome: boolean, tries: number): void {
		if (this.#options.isClosed()) return;
		this.#offers += 1;
		if (isWelcome) this.#acceptOffer(context as PublicKeyAuthContext);
		else {
			this.#tries += tries;
			context.reject(methods);
		}
		this.#endAfterTooMany();
	}

	#acceptOffer(context: PublicKeyAuthContext): void {
		// ssh2 would answer with the type of the key. But the client must get back the algorithm that it requested
		// (RFC 4252 §7), so the algorithm takes the place of the type.
		context.key.algo = (findSignatureAlgorithm(context) ?? context.key.algo) as typeof context.key.algo;
		context.accept();
	}

	/** Notes a key that was offered but that no account of this name has, so that people find the key that is missing. */
	#noteUnknownKey(context: PublicKeyAuthContext): void {
		const reason = 'unknown key';
		this.#log(context, 'sftp key refused', { reason, ...fingerprintIn(context) });
		this.#noteRefusal(context, reason, nothingFound);
	}

	/** Refuses an attempt. The reason is logged, and sent only to a client that has proven its credential. */
	#refuse(
		context: AuthContext,
		reason: 'wrong credential' | 'too many sessions' | 'shut out' | 'not decided',
		found: Found<P>,
	): void {
		this.#log(context, 'sftp login refused', { reason, ...fingerprintIn(context) });
		if (reason !== 'not decided') this.#noteRefusal(context, reason, found);
		if (reason === 'wrong credential') this.#count(context);
		if (this.#options.isClosed()) return;
		if (reason === 'too many sessions') {
			this.#options.onTooManySessions();
			return;
		}
		this.#tries += 1;
		context.reject(methods);
		this.#endAfterTooMany();
	}

	#count(context: AuthContext): void {
		const { logins, address } = this.#options;
		const secret = passwordOf(context);
		logins.failed({ address, userName: context.username, secret });
	}

	#noteRefusal(
		context: AuthContext,
		reason: RefusedLogin<P>['reason'],
		{ principal, isProven }: Pick<Found<P>, 'principal' | 'isProven'>,
	): void {
		const { method } = context;
		if (method !== 'password' && method !== 'publickey') return;
		this.#options.identity.noteRefusal({
			userName: context.username.slice(0, maxUserNameBytes),
			address: this.#options.address,
			method,
			reason: principal !== null && !isProven ? 'bad signature' : reason,
			principal,
			password: passwordOf(context),
			...fingerprintIn(context),
		});
	}

	#endAfterTooMany(): void {
		const { maxLoginTries } = this.#options.limits;
		if (this.#tries >= maxLoginTries || this.#offers > 4 * maxLoginTries) this.#options.onTooManyTries();
	}

	/**
	 * Looks up the credential of an attempt. During an outage every login is refused like a wrong password, but that must
	 * not get the client banned.
	 */
	async #identify(context: AuthContext): Promise<Found<P>> {
		const { address, logger, sessionId, outage } = this.#options;
		try {
			const found = await this.#findPrincipal(context);
			outage?.end();
			return { ...found, isFault: false };
		} catch (error) {
			if (outage?.begin())
				logger.warn({ address }, 'logins cannot be decided: clients are told temporarily unavailable');
			logger.error({ session: sessionId, address, err: error }, 'sftp login could not be decided');
			return { principal: null, isProven: false, isFault: true };
		}
	}

	async #findPrincipal(context: AuthContext): Promise<Omit<Found<P>, 'isFault'>> {
		const { identity, address } = this.#options;
		const userName = context.username;
		if (Buffer.byteLength(userName) > maxUserNameBytes) return nothingFound;
		// ssh2 passes a request to change the password as an object and not as a text. Such a request is not a login.
		if (context.method === 'password' && typeof context.password === 'string') {
			const principal = await identity.byPassword({ userName, password: context.password, address });
			return { principal, isProven: principal !== null };
		}
		if (context.method !== 'publickey') return nothingFound;
		const algorithm = findSignatureAlgorithm(context);
		if (algorithm === undefined || !isAcceptableKey(context)) return nothingFound;
		const principal = await identity.byPublicKey({ userName, algorithm, key: context.key.data, address });
		return { principal, isProven: principal !== null && context.signature !== undefined && isSignatureValid(context) };
	}

	#log(context: AuthContext, message: string, fields: object): void {
		const { address, sessionId, logger } = this.#options;
		const user = loggable(context.username);
		logger.info({ session: sessionId, user, address, method: context.method, ...fields }, message);
	}
}

/** A request to change the password is not a login, so it has no password to check. */
function passwordOf(context: AuthContext): string | undefined {
	return context.method === 'password' && typeof context.password === 'string' ? context.password : undefined;
}

function fingerprintIn(context: AuthContext): { readonly fingerprint?: string } {
	return context.method === 'publickey' ? { fingerprint: fingerprintOf(context.key.data) } : {};
}

function reasonOf({ isFault }: Found<unknown>, principal: unknown) {
	if (isFault) return 'not decided';
	return principal === null ? 'wrong credential' : 'too many sessions';
}
