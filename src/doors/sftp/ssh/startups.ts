import type { Clock } from '../../../base/clock.ts';
import { noSiblings, type Siblings } from '../../../base/siblings.ts';
import type { SftpLimits } from '../limits.ts';

/** Describes the slot of a connection that has not logged in yet. */
export interface Startup {
	readonly address: string;
	/** True when the client has named its SSH version, which an honest client does at once. */
	hasGreeted: boolean;
	/** True if the slot was given to another connection. */
	readonly wasDropped: boolean;
}

interface Place extends Startup {
	wasDropped: boolean;
	readonly block: string;
	readonly sinceMs: number;
	readonly onDrop: () => void;
}

/** The topic under which processes tell each other the addresses that logged in. */
const KNOWN = 'sftp known address';

type StartupLimits = Pick<SftpLimits, 'maxStartups' | 'reservedStartups' | 'maxStartupsPerAddress' | 'silentStartupMs'>;

/**
 * Manages slots for connections that have not logged in yet. A new connection always gets one: if all are taken, the
 * least valuable connection is dropped, so that an attacker who only holds slots cannot keep others out. Addresses that
 * logged in before have reserved slots that nobody else can take.
 */
export class Startups {
	readonly #limits: StartupLimits;
	readonly #clock: Clock;
	readonly #known: KnownAddresses;
	readonly #siblings: Siblings;
	/** The slots in use, first the common and then the reserved ones, each in the order of their connections. */
	readonly #open = new Set<Place>();
	readonly #reserved = new Set<Place>();

	constructor(limits: StartupLimits, clock: Clock, siblings: Siblings = noSiblings) {
		// At most half of the slots are reserved, whatever the settings say, because an address that never logged in can
		// use only the others.
		const reservedStartups = Math.min(limits.reservedStartups, Math.floor(limits.maxStartups / 2));
		this.#limits = { ...limits, reservedStartups };
		this.#clock = clock;
		this.#known = new KnownAddresses(clock);
		this.#siblings = siblings;
		siblings.hear<string>(KNOWN, (address) => this.#known.add(address));
	}

	get size(): number {
		return this.#open.size + this.#reserved.size;
	}

	/**
	 * Gives a connection a slot, until `leave` gives the slot back.
	 * @param onDrop is called when the slot is given to another connection
	 * @returns the slot, and whether the address was at its limit, so that it lost one of its own connections
	 */
	enter(address: string, onDrop: () => void): { startup: Startup; isOverItsLimit: boolean } {
		const own = [...this.#open, ...this.#reserved].filter((place) => place.address === address);
		const isOverItsLimit = own.length >= this.#limits.maxStartupsPerAddress;
		if (isOverItsLimit) this.#drop(this.#leastWorth(own));
		const { places, size } = this.#poolOf(address);
		if (places.size >= size) this.#drop(this.#leastWorth(places));
		const place: Place = {
			address,
			block: addressBlock(address),
			sinceMs: this.#nowMs(),
			hasGreeted: false,
			wasDropped: false,
			onDrop,
		};
		places.add(place);
		return { startup: place, isOverItsLimit };
	}

	/** Gives a slot back; a second call does nothing. */
	leave(startup: Startup): void {
		this.#open.delete(startup as Place);
		this.#reserved.delete(startup as Place);
	}

	/** Gives back the slot of a connection that has logged in, and remembers its address for a day. */
	logIn(startup: Startup): void {
		this.leave(startup);
		this.#known.add(startup.address);
		this.#siblings.tell(KNOWN, startup.address);
	}

	/**
	 * Chooses the pool of slots for an address. A known address takes a common slot only if the reserved ones are taken
	 * and common ones are free.
	 */
	#poolOf(address: string): { places: Set<Place>; size: number } {
		const { maxStartups, reservedStartups } = this.#limits;
		const open = { places: this.#open, size: maxStartups - reservedStartups };
		const reserved = { places: this.#reserved, size: reservedStartups };
		if (reserved.size === 0 || !this.#known.has(address)) return open;
		const isOverflowing = this.#reserved.size >= reserved.size && this.#open.size < open.size;
		return isOverflowing ? open : reserved;
	}

	/**
	 * Chooses the connection to drop: first one that stays silent, then one of the address block that holds most slots,
	 * then the oldest. So an attacker needs as many blocks as there are slots, and must speak SSH, before an honest login
	 * is in danger.
	 */
	#leastWorth(places: Iterable<Place>): Place {
		const perBlock = new Map<string, number>();
		for (const { block } of places) perBlock.set(block, (perBlock.get(block) ?? 0) + 1);
		const silentBeforeMs = this.#nowMs() - this.#limits.silentStartupMs;
		let least: { place: Place; isSilent: boolean; ofBlock: number } | null = null;
		for (const place of places) {
			const isSilent = !place.hasGreeted && place.sinceMs <= silentBeforeMs;
			const ofBlock = perBlock.get(place.block)!;
			const isLess =
				least === null || (isSilent === least.isSilent ? ofBlock > least.ofBlock : isSilent && !least.isSilent);
			if (isLess) least = { place, isSilent, ofBlock };
		}
		return least!.place;
	}

	#drop(place: Place): void {
		this.leave(place);
		place.wasDropped = true;
		place.onDrop();
	}

	#nowMs(): number {
		return this.#clock.now().getTime();
	}
}

/**
 * Returns the block of addresses that is treated as one client: the /24 of an IPv4 address, the /56 of an IPv6 address,
 * because any customer of a network gets blocks of this size.
 * @param address as `defendedAddress` writes it: an IPv4 address, or four groups of an IPv6 address and `::/64`
 */
export function addressBlock(address: string): string {
	const ipv4 = /^(\d+\.\d+\.\d+)\.\d+$/.exec(address);
	if (ipv4) return `${ipv4[1]}.0/24`;
	const ipv6 = /^([0-9a-f]+:[0-9a-f]+:[0-9a-f]+):([0-9a-f]+)::\/64$/.exec(address);
	if (!ipv6) return address;
	const lastGroup = Number.parseInt(ipv6[2], 16) & 0xff00;
	return `${ipv6[1]}:${lastGroup.toString(16)}::/56`;
}

const rememberedMs = 24 * 3_600_000;
const maxAddresses = 10_000;

/** Remembers the addresses that logged in during the last day. Of too many, the one with the oldest login goes. */
export class KnownAddresses {
	readonly #clock: Clock;
	/** The time of each address's last login, earliest first. */
	readonly #loginsMs = new Map<string, number>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	get size(): number {
		return this.#loginsMs.size;
	}

	has(address: string): boolean {
		const loginMs = this.#loginsMs.get(address);
		return loginMs !== undefined && this.#nowMs() - loginMs < rememberedMs;
	}

	add(address: string): void {
		this.#loginsMs.delete(address);
		this.#loginsMs.set(address, this.#nowMs());
		for (const [earliest, loginMs] of this.#loginsMs) {
			if (this.#loginsMs.size <= maxAddresses && this.#nowMs() - loginMs < rememberedMs) break;
			this.#loginsMs.delete(earliest);
		}
	}

	#nowMs(): number {
		return this.#clock.now().getTime();
	}
}
