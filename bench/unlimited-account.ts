import type { Installation } from '../test/helpers/daemon.ts';

/** Creates an account like that of a first start, but without a limit, because counting units would be measured too. */
export async function makeUnlimitedAccount({ json }: Installation): Promise<Installation['demo']> {
	const granted = ['--permissions', 'all', '--cvv-retention', '--allowance', 'unlimited'];
	return json('account', 'create', '--user-id', 'bench', ...granted);
}
