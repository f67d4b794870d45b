import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '@tidings/database/client';
import type { Pool } from 'pg';

/** Prisma over the pool that all statements go by. */
export const createPrisma = (pool: Pool): PrismaClient =>
  new PrismaClient({ adapter: new PrismaPg(pool) });
