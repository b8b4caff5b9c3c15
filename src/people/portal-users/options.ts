import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import type { LoginGuard } from '../../base/defender/login-guard.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { MailQueue } from '../../base/mail/mail-queue.ts';
import type { Audit } from '../../trail/audit.ts';
import type { Identity } from '../identity/identity.ts';
import type { Operators } from '../operators/operators.ts';
import type { Providers } from './sso/providers.ts';

export interface PortalOptions {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly audit: Pick<Audit, 'record'>;
	readonly clock: Clock;
	readonly identity: Pick<Identity, 'accounts'>;
	readonly operators: Pick<Operators, 'standing'>;
	readonly mails: Pick<MailQueue, 'isOpen' | 'prepare' | 'wake'>;
	/** Counts failed logins by address, together with those over sFTP. */
	readonly guard: Pick<LoginGuard, 'mayTry' | 'failed' | 'succeeded'>;
	readonly onFailed?: (login: FailedPortalLogin) => void;
	/** The providers at which people may sign in; none unless given. */
	readonly providers?: Pick<Providers, 'list' | 'find'>;
	readonly settings: PortalSettings;
}

export interface PortalSettings {
	readonly environment: 'sandbox' | 'production';
	/** The public URL without a slash at the end; links begin with it. */
	readonly baseUrl: string;
	/** The address from which mails are sent; undefined if no mail server is set. */
	readonly mailFrom: string | undefined;
	/** Who needs a second factor. Operators do in any case, and in production whoever can give cards away. */
	readonly secondFactor: 'managers' | 'everybody' | 'operators';
	/** A refused login is answered after this time at the earliest, so that the time does not tell the reason. */
	readonly refusedAfterMs: number;
	/** Whoever came by a provider has to come by it again after this time. */
	readonly providerMs: number;
}

export interface FailedPortalLogin {
	readonly address: string;
	readonly way: string;
	readonly reason: string;
	readonly account: string | undefined;
	readonly userId: number | undefined;
}
