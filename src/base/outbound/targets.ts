import { Target, type TargetOptions } from './target.ts';
import { identityName, type TlsIdentity } from './tls-identity.ts';

const MAX_TARGETS = 256;
const MAX_UNUSED_MS = 60_000;
const SWEEP_MS = 15_000;

/**
 * Keeps the targets that were used recently. Their number is limited, so that a caller who names a new host in every
 * call does not fill the memory.
 */
export class Targets {
	readonly #targets = new Map<string, Target>();
	readonly #options: Pick<TargetOptions, 'allowPrivate' | 'lookup'>;
	readonly #sweep: NodeJS.Timeout;

	constructor(options: Pick<TargetOptions, 'allowPrivate' | 'lookup'>) {
		this.#options = options;
		this.#sweep = setInterval(() => this.#closeUnused(), SWEEP_MS).unref();
	}

	get size(): number {
		return this.#targets.size;
	}

	/**
	 * Returns the target for a URL that is called with an identity.
	 * @throws `bad-input-data` if the identity cannot be loaded.
	 */
	of(url: URL, identity: TlsIdentity | undefined): Target {
		const { protocol, host } = url;
		const isTls = protocol === 'https:';
		const key = isTls ? `${identityName(identity)}s ${host}` : host;
		let target = this.#targets.get(key);
		if (target === undefined) {
			const name = url.hostname.replace(/^\[|\]$|\.$/g, '');
			target = new Target({ ...this.#options, isTls, host: name, port: url.port, identity });
			if (this.#targets.size >= MAX_TARGETS) this.#closeOldest();
			this.#targets.set(key, target);
		}
		return target;
	}

	close(): void {
		clearInterval(this.#sweep);
		for (const target of this.#targets.values()) target.close();
		this.#targets.clear();
	}

	#closeUnused(): void {
		const limit = performance.now() - MAX_UNUSED_MS;
		for (const [key, target] of this.#targets) if (target.usedAt < limit && !target.isBusy) this.#drop(key, target);
	}

	#closeOldest(): void {
		const [first, ...rest] = this.#targets;
		this.#drop(...rest.reduce((oldest, entry) => (entry[1].usedAt < oldest[1].usedAt ? entry : oldest), first));
	}

	#drop(key: string, target: Target): void {
		this.#targets.delete(key);
		target.close();
	}
}
