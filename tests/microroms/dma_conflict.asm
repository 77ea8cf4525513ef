; a read from the bus of a running OAM DMA gives the byte being copied
;
; While OAM DMA runs, it occupies the bus its source is on. A CPU read from the same bus gives the
; byte that is being copied. The other bus is free. (Pan Docs, "OAM DMA Transfer"; mooneye
; acceptance/oam_dma)
;
; @pyboy: the CPU gets the byte on the bus: Pan Docs, OAM DMA bus conflicts (no ROM of the suites covers it)

Test:
        INCLUDE "dma_setup.inc"
        LD A, $C1 :: CALL $FF80
        LD A, D :: CHECK $77
        LD A, E :: CHECK $77
        LD A, $81 :: CALL $FF80                             ; from video memory: the other bus is free
        LD A, D :: CHECK $11
        LD A, E :: CHECK $88
        INCLUDE "dma_routine.inc"
