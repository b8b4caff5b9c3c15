import type { Installation } from '../helpers/daemon.ts';

/** An account like that of a first start, without a limit: counting units would be measured too. */
export async function makeUnlimitedAccount({ json }: Installation): Promise<Installation['demo']> {
	const granted = ['--permissions', 'all', '--cvv-retention', '--allowance', 'unlimited'];
	return json('account', 'create', '--user-id', 'bench', ...granted);
}
