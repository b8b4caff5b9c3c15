import { shared } from '../database/gather.ts';
import type { AccountId, KeyId } from '../database/ids.ts';
import type { KeyPurpose, SealingKey } from './key-ring.ts';
import { noteReserved, sealsToReserve } from './seal-count.ts';

/** The current key is read from the database again after this time. */
const CURRENT_FOR_MS = 5_000;

/** Lists the purposes whose keys seal values; the keys of other purposes make MACs or encrypt single cipher blocks. */
const SEALING: ReadonlySet<KeyPurpose> = new Set(['data', 'cvv', 'drop', 'secret']);

/** Names a key by what it is used for, whatever its generation. */
export interface KeyScope {
	readonly purpose: KeyPurpose;
	/** The account; 0 for a key of the installation. */
	readonly accountId: AccountId;
}

const nameOf = ({ purpose, accountId }: KeyScope) => `${purpose}/${accountId}`;

/** Keeps the keys that are currently used for sealing, for a few seconds each. */
export class CurrentKeys {
	readonly #kept = new Map<string, { readonly key: SealingKey; readonly until: number }>();
	readonly #read: (scope: KeyScope) => Promise<SealingKey>;

	/** `load` reads a key from the database, and `addSeals` stores how many more values the key is going to seal. */
	constructor(load: (scope: KeyScope) => Promise<SealingKey>, addSeals: (id: KeyId, seals: number) => Promise<void>) {
		// Callers that need a key at the same moment read it together.
		this.#read = shared(async (scope) => {
			const key = await load(scope);
			// Sealing under a key is reserved in the database in advance, for many values at once. This is done only when
			// the key is read, so the stored number of values may be too low for as long as the key is kept in memory.
			const seals = SEALING.has(scope.purpose) ? sealsToReserve(key.secret) : 0;
			if (seals > 0) {
				noteReserved(key.secret, seals);
				await addSeals(key.id, seals);
			}
			this.#kept.set(nameOf(scope), { key, until: Date.now() + CURRENT_FOR_MS });
			return key;
		}, nameOf);
	}

	async find(scope: KeyScope): Promise<SealingKey> {
		const kept = this.#kept.get(nameOf(scope));
		return kept && kept.until > Date.now() ? kept.key : this.#read(scope);
	}

	clear(): void {
		this.#kept.clear();
	}
}
