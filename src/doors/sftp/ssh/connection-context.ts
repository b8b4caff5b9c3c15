import type { Clock } from '../../../base/clock.ts';
import type { Defender } from '../../../base/defender/defender.ts';
import type { LoginGuard } from '../../../base/defender/login-guard.ts';
import type { Tree } from '../../../work/folders/tree.ts';
import type { SftpIdentity } from '../identity.ts';
import type { SftpLimits } from '../limits.ts';
import type { HeldBytes } from '../memory/held-bytes.ts';
import type { SftpLogger } from '../session/loggable.ts';
import type { Outage } from '../session/outage.ts';
import type { SessionPlaces } from './admission.ts';
import type { Startups } from './startups.ts';

/** How many key exchanges there were since the start, the first ones of connections and later ones. */
export interface ExchangeCounts {
	postQuantum: number;
	classical: number;
}

/** The objects that all connections of a server share. */
export interface ConnectionContext<P> {
	readonly identity: SftpIdentity<P>;
	/**
	 * Opens the tree of files for every session that is admitted. The implementation may call `session.end` at any later
	 * time to end the session; the argument is the reason, for the log.
	 */
	openTree(principal: P, session: { id: string; address: string; end(reason: string): void }): Promise<Tree>;
	readonly limits: SftpLimits;
	readonly held: HeldBytes;
	readonly admission: SessionPlaces;
	readonly startups: Startups;
	readonly outage: Outage;
	readonly exchanges: ExchangeCounts;
	readonly defender: Defender;
	readonly logins: LoginGuard;
	readonly clock: Clock;
	readonly logger: SftpLogger;
}
