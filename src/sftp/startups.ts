import type { Clock } from '../clock.ts';
import { addressBlock } from './address-block.ts';
import { KnownAddresses } from './known-addresses.ts';
import type { SftpLimits } from './limits.ts';

/** The place of a connection that has not logged in yet. */
export interface Startup {
	readonly address: string;
	/** To be set when the client has said which SSH it speaks, which an honest one does at once. */
	hasGreeted: boolean;
	/** Whether the place was given to another connection. */
	readonly wasDropped: boolean;
}

interface Place extends Startup {
	wasDropped: boolean;
	readonly block: string;
	readonly sinceMs: number;
	readonly onDrop: () => void;
}

type StartupLimits = Pick<SftpLimits, 'maxStartups' | 'reservedStartups' | 'maxStartupsPerAddress' | 'silentStartupMs'>;

/**
 * The places of connections that have not logged in yet. A newcomer always gets one: where all are taken, one that is worth
 * less is dropped for it, so that whoever only holds places cannot close the door to others. Addresses that logged in before
 * have places of their own, which nobody else can take.
 */
export class Startups {
	readonly #limits: StartupLimits;
	readonly #clock: Clock;
	readonly #known: KnownAddresses;
	/** Both in the order of arrival. */
	readonly #open = new Set<Place>();
	readonly #reserved = new Set<Place>();

	constructor(limits: StartupLimits, clock: Clock) {
		// Half of them at least stay common, whatever the figures: a newcomer needs a place that could be his.
		const reservedStartups = Math.min(limits.reservedStartups, Math.floor(limits.maxStartups / 2));
		this.#limits = { ...limits, reservedStartups };
		this.#clock = clock;
		this.#known = new KnownAddresses(clock);
	}

	get size(): number {
		return this.#open.size + this.#reserved.size;
	}

	/**
	 * Gives a place, to be given back with `leave`.
	 * @param onDrop is called when the place is given to another connection
	 * @returns whether the address had as many as it may have, so that it lost one of its own
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

	/** Takes a place back; a second time does nothing. */
	leave(startup: Startup): void {
		this.#open.delete(startup as Place);
		this.#reserved.delete(startup as Place);
	}

	/** Takes the place back of a connection that has logged in, and remembers its address for a day. */
	logIn(startup: Startup): void {
		this.leave(startup);
		this.#known.add(startup.address);
	}

	/** A known address takes a common place only when those kept for its like are taken and common ones are free. */
	#poolOf(address: string): { places: Set<Place>; size: number } {
		const { maxStartups, reservedStartups } = this.#limits;
		const open = { places: this.#open, size: maxStartups - reservedStartups };
		const reserved = { places: this.#reserved, size: reservedStartups };
		if (reserved.size === 0 || !this.#known.has(address)) return open;
		const isOverflowing = this.#reserved.size >= reserved.size && this.#open.size < open.size;
		return isOverflowing ? open : reserved;
	}

	/**
	 * First those that stay silent, then those of the block that holds most places, then the oldest: an attacker has to come
	 * from as many blocks as there are places, and speak, before an honest login is in danger.
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
