import type { Audit } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/open.ts';
import type { LoginGuard } from '../defender/login-guard.ts';
import type { Identity } from '../identity/identity.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { MailQueue } from '../mail/mail-queue.ts';
import type { Operators } from '../operators/operators.ts';

/** What the portal is made of. */
export interface PortalRooms {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly audit: Pick<Audit, 'record'>;
	readonly clock: Clock;
	readonly identity: Pick<Identity, 'accounts'>;
	readonly operators: Pick<Operators, 'standing'>;
	readonly mails: Pick<MailQueue, 'isOpen' | 'prepare' | 'wake'>;
	/** Counts failed logins by address, together with those over sFTP. */
	readonly guard: Pick<LoginGuard, 'mayTry' | 'failed' | 'succeeded'>;
	/** Notes a failed login for the audit trail. */
	readonly onFailed?: (login: FailedPortalLogin) => void;
	readonly settings: PortalSettings;
}

export interface PortalSettings {
	readonly environment: 'sandbox' | 'production';
	/** The public address without a slash at the end; links begin with it. */
	readonly baseUrl: string;
	/** The address that mails come from; undefined if no mail server is set. */
	readonly mailFrom: string | undefined;
	/** Who needs a second factor besides operators. */
	readonly secondFactor: 'managers' | 'everybody' | 'operators';
	/** A refused login is answered after this time at the earliest, so that the time does not tell what was wrong. */
	readonly refusedAfterMs: number;
}

export interface FailedPortalLogin {
	readonly address: string;
	readonly way: string;
	readonly reason: string;
	readonly account: string | undefined;
	readonly userId: number | undefined;
}

/** Says from where somebody acts. */
export interface Client {
	readonly address: string | undefined;
	/** The name of the browser, as it says itself. */
	readonly agent: string | undefined;
}
