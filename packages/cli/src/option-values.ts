import { InvalidArgumentError } from '@commander-js/extra-typings';

/** `--iterations 10`: digits only, from 1. */
export function positiveInteger(text: string): number {
	const value = Number(text);
	if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < 1)
		throw new InvalidArgumentError('It must be a whole number from 1.');
	return value;
}

/** `show DIR 0`, `--seed 0`: digits only. */
export function naturalNumber(text: string): number {
	const value = Number(text);
	if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
		throw new InvalidArgumentError('It must be a whole number from 0.');
	return value;
}

/** `--time-budget-minutes 1.5`. */
export function positiveNumber(text: string): number {
	const value = decimal(text);
	if (value === null || value <= 0) throw new InvalidArgumentError('It must be a number above 0.');
	return value;
}

/** `--cost-budget 0`: zero means zero. */
export function amount(text: string): number {
	const value = decimal(text);
	if (value === null) throw new InvalidArgumentError('It must be a number from 0.');
	return value;
}

function decimal(text: string): number | null {
	return /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(text) && Number.isFinite(Number(text)) ? Number(text) : null;
}
