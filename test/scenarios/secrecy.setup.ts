// What secrecy.test.ts and secrecy.slow.test.ts share.

import { formats } from '../../formats/index.ts';
import { fixtureCases } from '../helpers/fixture-cases.ts';
import { fixtureSecrets } from '../helpers/secrecy.ts';

export const NUMBER = '4111111111111111';
export const cases = [...formats.keys()].flatMap((filter) => fixtureCases(filter));
export const secrets = fixtureSecrets(cases);
