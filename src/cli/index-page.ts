export async function updateIndex(): Promise<void> {}
