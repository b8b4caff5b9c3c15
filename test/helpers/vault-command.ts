// Holds what all commands of the vault's model test have in common.

import fc from 'fast-check';
import { type Kept, ROLES, type Role, type VaultModel } from './vault-model.ts';
import { compareViews, type VaultWorld } from './vault-model-world.ts';

export type VaultCommand = fc.Arbitrary<fc.AsyncCommand<VaultModel, VaultWorld>>;

/**
 * Makes a command from the values that it asks with. `step` runs the command, and returns the tokens of which the views of
 * all accounts are compared with the model afterwards.
 */
export function command<Asked>(
	name: string,
	asked: fc.Arbitrary<Asked>,
	step: (asked: Asked, model: VaultModel, world: VaultWorld) => Promise<readonly string[]>,
): VaultCommand {
	return asked.map((values) => ({
		check: () => true,
		async run(model, world) {
			// Moves the clock, so that what this command makes is newer than what earlier ones made.
			world.parts.clock.turn(1000);
			await compareViews(model, world, await step(values, model, world));
		},
		toString: () => `${name}(${fc.stringify(values)})`,
	}));
}

const NOBODYS_TOKEN = '9e107d9d372bb6826bd81d3542a419d6';

/**
 * Picks one of the tokens that exist or existed, or one that never did. It is mostly one that the caller may use, since
 * most of what can go wrong begins where a call is carried out; of those it is one for which `isWanted` is true, if there
 * is any.
 */
export function pick(
	model: VaultModel,
	nth: number,
	role: Role,
	isWanted: (each: Kept) => boolean = () => true,
): string {
	const usable = model.all.filter(({ token }) => model.mayUse(role, token));
	const wanted = usable.filter(isWanted);
	const among = nth % 4 === 3 ? model.all : wanted.length > 0 ? wanted : usable.length > 0 ? usable : model.all;
	return among.length === 0 ? NOBODYS_TOKEN : among[Math.floor(nth / 4) % among.length].token;
}

export const role = fc.constantFrom(...ROLES, 'hotel' as const);
export const nth = fc.nat(99);
export const merchant = fc.constantFrom<Role | 'nobody'>(
	...(['hotel', 'shop', 'shop', 'agency', 'agency', 'clerk', 'nobody'] as const),
);

export function queryOf(world: VaultWorld, parameters: Record<string, unknown>): string {
	const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
	const text = ([name, value]: [string, unknown]) =>
		[name, name === 'merchantId' ? world.nameOf(value as Role) : String(value)] as [string, string];
	return new URLSearchParams(given.map(text)).toString();
}
