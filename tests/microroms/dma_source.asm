; OAM DMA from E0 and above copies work RAM; its register can be read
;
; Sources of OAM DMA from E0 up are work RAM, and the DMA register reads back what was written. (Pan
; Docs, "OAM DMA Transfer"; mooneye acceptance/oam_dma)

Test:
        INCLUDE "dma_setup.inc"
        LD A, $E1 :: CALL $FF80
        LD A, E :: CHECK $77
        LDH A, [rDMA] :: CHECK $E1
        LD A, $FF :: LD [$DF00], A :: LD A, $5A :: LD [$DF01], A
        LD A, $FF :: CALL $FF80
        LD A, [$FE01] :: CHECK $5A
        INCLUDE "dma_routine.inc"
