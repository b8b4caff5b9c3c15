import test from 'ava';
import type { AccountId } from '../../src/base/database/ids.ts';
import { ServiceError } from '../../src/base/errors.ts';
import { WalletBill } from '../../src/doors/http/routes/third-parties/wallet.ts';

const PAYER = { ownerId: 1 as AccountId, accountId: 1 as AccountId };

/** Opens an allowance of so many units. */
function openAllowance(units: number) {
	const allowance = {
		left: units,
		async charge() {
			if (allowance.left === 0) throw new ServiceError('allowance-exceeded');
			allowance.left--;
			let isBack = false;
			return {
				async giveBack() {
					if (!isBack) allowance.left++;
					isBack = true;
				},
			};
		},
	};
	return allowance;
}

test('units that were not used are given back, once', async (t) => {
	const allowance = openAllowance(5);
	const bill = new WalletBill();
	await bill.take(allowance, PAYER, 2);
	t.is(allowance.left, 3);
	bill.use();
	await bill.giveBack();
	await bill.giveBack();
	t.is(allowance.left, 4);
});

test('units that could not be had in full are given back', async (t) => {
	const allowance = openAllowance(1);
	const bill = new WalletBill();
	await t.throwsAsync(bill.take(allowance, PAYER, 2), { message: /authorized/ });
	await bill.giveBack();
	t.is(allowance.left, 1);
});

test('units that were used are charged, however the call ends', async (t) => {
	const allowance = openAllowance(2);
	const bill = new WalletBill();
	await bill.take(allowance, PAYER, 2);
	bill.use();
	bill.use();
	await bill.giveBack();
	t.is(allowance.left, 0);
});
