import test from 'ava';

const isLinux = process.platform === 'linux';

/** Skips a test elsewhere than on Linux, because it needs what only that system has. */
export const testOnLinux = isLinux ? test : test.skip;
/** The same for a test that runs while no other of its file does. */
export const serialTestOnLinux = isLinux ? test.serial : test.serial.skip;
